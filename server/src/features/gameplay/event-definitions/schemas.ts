import { type Static, Type } from 'typebox';
import { Guid, Key, Name, Nullable, OneOf, Page, Timestamp } from '../../../http/schemas.ts';
import {
  DEFINITION_SCOPES,
  MAX_CATEGORY_LENGTH,
  MAX_DEFINITIONS,
  MAX_DESCRIPTION_LENGTH,
  MAX_KEY_LENGTH,
} from './definition.ts';

export const EventDefinition = Type.Object(
  {
    id: Guid,
    eventKey: Type.String(),
    eventValue: Nullable(Type.String()),
    eventScope: OneOf(DEFINITION_SCOPES, { title: 'DefinitionScope' }),
    eventCategory: Nullable(Type.String()),
    eventDescription: Nullable(Type.String()),
    isActive: Type.Boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'EventDefinition' },
);

const DefinitionScope = OneOf(DEFINITION_SCOPES, {
  title: 'DefinitionScope',
  description: 'The kind of events that may use the definition.',
});
const EventCategory = Nullable(
  Type.String({ transform: ['trim'], maxLength: MAX_CATEGORY_LENGTH, description: 'Empty counts as null.' }),
);
const EventDescription = Nullable(
  Type.String({ maxLength: MAX_DESCRIPTION_LENGTH, description: 'Empty counts as null.' }),
);

export const CreateEventDefinitionRequest = Type.Object(
  {
    eventKey: Key(MAX_KEY_LENGTH, {
      minLength: 1,
      description: 'Normalised before its length counts: trimmed, white space collapsed, Unicode NFC.',
    }),
    eventValue: Type.Optional(
      Nullable(Key(MAX_KEY_LENGTH, { description: 'Normalised like the key. An empty value becomes null.' })),
    ),
    eventScope: Type.Unsafe<(typeof DEFINITION_SCOPES)[number]>({ ...DefinitionScope, default: 'match' }),
    eventCategory: Type.Optional(EventCategory),
    eventDescription: Type.Optional(EventDescription),
    isActive: Type.Boolean({ default: true }),
  },
  { title: 'CreateEventDefinitionRequest' },
);

export const UpdateEventDefinitionRequest = Type.Object(
  {
    eventScope: Type.Optional(DefinitionScope),
    eventCategory: Type.Optional(EventCategory),
    eventDescription: Type.Optional(EventDescription),
    isActive: Type.Optional(Type.Boolean()),
  },
  { title: 'UpdateEventDefinitionRequest' },
);

const IncludeInactive = Type.Boolean({ default: false });

export const ListDefinitionsQuery = Type.Object({
  includeInactive: IncludeInactive,
  isActive: Type.Optional(
    Type.Boolean({ description: 'Only active or only inactive definitions. Overrules `includeInactive`.' }),
  ),
  eventScope: Type.Optional(
    OneOf(DEFINITION_SCOPES, {
      title: 'DefinitionScope',
      description: 'Only definitions with exactly this scope.',
    }),
  ),
  search: Type.Optional(
    Name(128, 'A part of the key, value, category or description. Case is ignored. There are no wildcards.'),
  ),
  paged: Type.Boolean({ default: false, description: 'Return one page instead of the whole list.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Only with `paged`.' }),
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Only with `paged`.' }),
});

/** One schema with two types, because generators of clients for C# take `anyOf` for an object with unknown members. */
export const EventDefinitionsResult = Type.Unsafe<
  Static<typeof EventDefinition>[] | Static<ReturnType<typeof Page<typeof EventDefinition>>>
>({
  ...Page(EventDefinition),
  title: 'EventDefinitionsResult',
  type: ['array', 'object'],
  items: EventDefinition,
  maxItems: MAX_DEFINITIONS,
});

export const ExportDefinitionsQuery = Type.Object({ includeInactive: IncludeInactive });

/** Documents the form of an import. The handler validates the form. */
export const ImportEventDefinitionsRequest = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'The CSV file, at most 2 MiB. The field may have any name.',
    }),
    overwriteExisting: Type.Optional(
      OneOf(['true', 'false'], {
        default: 'false',
        description:
          'If false, rows create definitions. If true, rows change the definitions with their IDs.',
      }),
    ),
  },
  { title: 'ImportEventDefinitionsRequest' },
);

const RowError = Type.Object(
  {
    rowNumber: Type.Integer({
      description: 'The row number that a spreadsheet shows. The header is usually row 1.',
    }),
    message: Type.String(),
    definitionId: Type.Optional(Type.String()),
    eventKey: Type.Optional(Type.String()),
    eventValue: Type.Optional(Type.String()),
    eventScope: Type.Optional(Type.String()),
    eventCategory: Type.Optional(Type.String()),
    eventDescription: Type.Optional(Type.String()),
    isActive: Type.Optional(Type.Boolean({ description: 'Absent if the cell is empty or not a boolean.' })),
  },
  { title: 'ImportRowError' },
);

export const ImportResult = Type.Object(
  {
    totalRows: Type.Integer({ description: 'The sum of `created`, `updated` and `failed`.' }),
    created: Type.Integer(),
    updated: Type.Integer({ description: 'Rows that were applied, including rows that changed nothing.' }),
    failed: Type.Integer(),
    errors: Type.Array(RowError, { description: 'One error per failed row, in the order of the rows.' }),
  },
  { title: 'ImportResult' },
);

export const EventDefinitionSettings = Type.Object(
  {
    autoCreate: Type.Boolean({
      description: 'Whether an event with an unknown key and value creates a definition.',
    }),
  },
  { title: 'EventDefinitionSettings' },
);

export const DefinitionPath = Type.Object({ tenantId: Guid, definitionId: Guid });
