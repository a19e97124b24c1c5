import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, Timestamp } from '../../../http/schemas.ts';
import { eventScopes, LONGEST_CATEGORY, LONGEST_DESCRIPTION, MOST_DEFINITIONS } from './definition.ts';

/** An event definition (spec: resources). */
export const EventDefinition = Type.Object({
  id: Guid,
  eventKey: Type.String(),
  eventValue: Nullable(Type.String()),
  eventScope: OneOf(eventScopes),
  eventCategory: Nullable(Type.String()),
  eventDescription: Nullable(Type.String()),
  isActive: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const EventScope = OneOf(eventScopes, { description: 'Which events it takes.' });
const EventCategory = Nullable(
  Type.String({ transform: ['trim'], maxLength: LONGEST_CATEGORY, description: 'Empty counts as null.' }),
);
const EventDescription = Nullable(
  Type.String({ maxLength: LONGEST_DESCRIPTION, description: 'Empty counts as null.' }),
);

export const CreateDefinitionBody = Type.Object({
  // The lengths count after normalisation, so they are the use case's to judge.
  eventKey: Type.String({
    description: '1 to 32 characters, normalised: trimmed, white space collapsed, NFC.',
  }),
  eventValue: Type.Optional(
    Nullable(
      Type.String({ description: 'At most 32 characters, normalised like the key; empty counts as null.' }),
    ),
  ),
  eventScope: Type.Unsafe<(typeof eventScopes)[number]>({ ...EventScope, default: 'match' }),
  eventCategory: Type.Optional(EventCategory),
  eventDescription: Type.Optional(EventDescription),
  isActive: Type.Boolean({ default: true }),
});

export const UpdateDefinitionBody = Type.Object({
  eventScope: Type.Optional(EventScope),
  eventCategory: Type.Optional(EventCategory),
  eventDescription: Type.Optional(EventDescription),
  isActive: Type.Optional(Type.Boolean()),
});

const IncludeInactive = Type.Boolean({ default: false });

export const ListDefinitionsQuery = Type.Object({
  includeInactive: IncludeInactive,
  paged: Type.Boolean({ default: false, description: 'Answer with a page instead of the whole list.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Only with `paged`.' }),
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Only with `paged`.' }),
});

/** The plain list, or a page of it. */
export const ListDefinitionsResult = Type.Union([
  Type.Array(EventDefinition, { maxItems: MOST_DEFINITIONS }),
  Page(EventDefinition),
]);

export const ExportDefinitionsQuery = Type.Object({ includeInactive: IncludeInactive });

/** What an import's form holds; read by the handler, so it is documented here and not validated. */
export const ImportForm = Type.Object({
  file: Type.String({
    format: 'binary',
    description: 'The CSV file, at most 2 MiB. The field may have any name.',
  }),
  overwriteExisting: Type.Optional(
    OneOf(['true', 'false'], {
      default: 'false',
      description: 'False creates definitions, true changes the ones that the rows name by id.',
    }),
  ),
});

const RowError = Type.Object({
  rowNumber: Type.Integer({ description: 'As a spreadsheet counts: the header is usually row 1.' }),
  message: Type.String(),
  definitionId: Type.Optional(Type.String()),
  eventKey: Type.Optional(Type.String()),
  eventValue: Type.Optional(Type.String()),
  eventScope: Type.Optional(Type.String()),
  eventCategory: Type.Optional(Type.String()),
  eventDescription: Type.Optional(Type.String()),
  isActive: Type.Optional(
    Type.Boolean({ description: 'Missing also where the row says nothing that can be read.' }),
  ),
});

/** What became of the rows of an import. */
export const ImportResult = Type.Object({
  totalRows: Type.Integer({ description: 'The sum of the three that follow.' }),
  created: Type.Integer(),
  updated: Type.Integer({ description: 'Rows that hold now, those that changed nothing among them.' }),
  failed: Type.Integer(),
  errors: Type.Array(RowError, { description: 'One for each row that failed, in the order of the rows.' }),
});

export const DefinitionSettings = Type.Object({
  autoCreate: Type.Boolean({
    description: 'Whether an event with an unknown key and value creates its definition.',
  }),
});

export const TenantPath = Type.Object({ tenantId: Guid });
export const DefinitionPath = Type.Object({ tenantId: Guid, definitionId: Guid });
