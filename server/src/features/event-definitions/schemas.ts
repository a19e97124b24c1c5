import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, Timestamp } from '../../http/schemas.ts';
import { eventScopes } from './definition.ts';

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
  Type.String({ transform: ['trim'], maxLength: 32, description: 'Empty counts as null.' }),
);
const EventDescription = Nullable(Type.String({ maxLength: 512, description: 'Empty counts as null.' }));

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

export const ListDefinitionsQuery = Type.Object({
  includeInactive: Type.Boolean({ default: false }),
  paged: Type.Boolean({ default: false, description: 'Answer with a page instead of the whole list.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Only with `paged`.' }),
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Only with `paged`.' }),
});

/** The plain list, or a page of it. */
export const ListDefinitionsResult = Type.Union([Type.Array(EventDefinition), Page(EventDefinition)]);

export const DefinitionSettings = Type.Object({
  autoCreate: Type.Boolean({
    description: 'Whether an event with an unknown key and value creates its definition.',
  }),
});

export const TenantPath = Type.Object({ tenantId: Guid });
export const DefinitionPath = Type.Object({ tenantId: Guid, definitionId: Guid });
