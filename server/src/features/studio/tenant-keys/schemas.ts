import { Type } from 'typebox';
import { Guid, Name, Nullable, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';

export const TenantParams = Type.Object({ tenantId: Guid });
export const KeyParams = Type.Object({ tenantId: Guid, keyId: Guid });

export const KeyQuery = Type.Object({
  ...PageQuery.properties,
  includeRevoked: Type.Boolean({ default: false }),
});

const Count = (maximum: number, description: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum, description }));

const LARGEST_INTEGER = 2 ** 31 - 1;

const RateLimit = {
  perMinute: Count(
    LARGEST_INTEGER,
    'Requests a minute, at most as many as the plan allows; null: the plan’s.',
  ),
  perHour: Count(LARGEST_INTEGER, 'Requests an hour, at most as many as the plan allows; null: the plan’s.'),
};

const traits = {
  rateLimitPerMinute: Count(LARGEST_INTEGER, 'More requests a minute raise an alert; null: the tenant’s.'),
  payloadBytesPerMinute: Count(
    Number.MAX_SAFE_INTEGER,
    'More inbound bytes a minute raise an alert; null: the tenant’s.',
  ),
  expiresAt: Nullable(Timestamp),
};

const apiKeyTraits = {
  allowDataApi: Type.Boolean({ description: 'Whether the key may read players’ data.' }),
  subscriberWorkspaceId: Nullable(
    Type.Unsafe<string>({
      ...Guid,
      description:
        'The workspace that is billed for the key’s reads; null: the tenant’s own. Only an owner or admin of that workspace may name it.',
    }),
  ),
};

const shown = {
  id: Guid,
  name: Type.String(),
  prefix: Type.String({ description: 'The start of the key, to tell it from others.' }),
  rateLimit: Nullable(Type.Object(RateLimit, { description: 'Null: the plan’s.' })),
  ...traits,
  createdAt: Timestamp,
  revokedAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Type.String({ format: 'date-time', description: 'Exact to half a minute.' })),
  successorId: Nullable(
    Type.Unsafe<string>({ ...Guid, description: 'The key that took its place, by rotation.' }),
  ),
};

const changed = {
  rateLimit: Type.Optional(Nullable(Type.Partial(Type.Object(RateLimit)))),
  ...Type.Partial(Type.Object(traits)).properties,
};
const changedOfApiKeys = Type.Partial(Type.Object(apiKeyTraits)).properties;

export const RotateBody = Type.Object({
  gracePeriodSeconds: Type.Integer({
    minimum: 0,
    maximum: 30 * 24 * 60 * 60,
    default: 24 * 60 * 60,
    description:
      'How long the old key still works: up to 30 days, a day where it is left out, 0 for one that leaked.',
  }),
});

const secret = { key: Type.String({ description: 'The key itself: shown in this answer only.' }) };

/** The shapes of keys by kind: API keys have some traits more. */
export const keySchemas = {
  game: shapes(shown, changed),
  api: shapes({ ...shown, ...apiKeyTraits }, { ...changed, ...changedOfApiKeys }),
};

function shapes<Shown extends typeof shown, Changed extends typeof changed>(
  keyShape: Shown,
  changeShape: Changed,
) {
  const Key = Type.Object(keyShape);
  return {
    Key,
    KeyPage: Page(Key),
    CreatedKey: Type.Object({ ...keyShape, ...secret }),
    CreatedKeyOrRepeat: Type.Object({ ...keyShape, ...Type.Partial(Type.Object(secret)).properties }),
    CreateBody: Type.Object({ name: Name(128), ...changeShape }),
    ChangeBody: Type.Object({ name: Type.Optional(Name(128)), ...changeShape }),
  };
}
