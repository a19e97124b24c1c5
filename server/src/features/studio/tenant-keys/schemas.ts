import { Type } from 'typebox';
import { Guid, Name, Nullable, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';

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
    'Requests per minute, at most the limit of the plan. Null: the limit of the plan applies.',
  ),
  perHour: Count(
    LARGEST_INTEGER,
    'Requests per hour, at most the limit of the plan. Null: the limit of the plan applies.',
  ),
};

const settings = {
  rateLimitPerMinute: Count(
    LARGEST_INTEGER,
    'Alert threshold: requests per minute. Null: the threshold of the tenant applies.',
  ),
  payloadBytesPerMinute: Count(
    Number.MAX_SAFE_INTEGER,
    'Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.',
  ),
  expiresAt: Nullable(
    Type.String({
      ...Timestamp,
      description: 'The time when the key expires. In a request it must be in the future.',
    }),
  ),
};

const gameKeySettings = {
  requirePlayerToken: Type.Boolean({
    description:
      'Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. ' +
      'Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers.',
  }),
};

const apiKeySettings = {
  allowDataApi: Type.Boolean({ description: 'Whether the key can read player data.' }),
  subscriberWorkspaceId: Nullable(
    Type.String({
      ...Guid,
      description:
        'The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or ' +
        'admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.',
    }),
  ),
};

const keyFields = {
  id: Guid,
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the key. They identify it in a list.' }),
  rateLimit: Nullable(
    Type.Object(RateLimit, { title: 'KeyRateLimit', description: 'Null: the limits of the plan apply.' }),
  ),
  ...settings,
  createdAt: Timestamp,
  revokedAt: Nullable(Timestamp),
  lastUsedAt: Nullable(
    Type.String({
      ...Timestamp,
      description: 'The last time that the server accepted the key. It shows up to 30 seconds later.',
    }),
  ),
  successorId: Nullable(
    Type.String({ ...Guid, description: 'The key that replaced this one in a rotation.' }),
  ),
};

const changeFields = {
  rateLimit: Type.Optional(Nullable(Type.Partial(Type.Object(RateLimit), { title: 'UpdateKeyRateLimit' }))),
  ...Type.Partial(Type.Object(settings)).properties,
};
const gameKeyChangeFields = Type.Partial(Type.Object(gameKeySettings)).properties;
const apiKeyChangeFields = Type.Partial(Type.Object(apiKeySettings)).properties;

/** The request may have no body. */
export const RotateKeyRequest = Nullable(
  Type.Object(
    {
      gracePeriodSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 30 * 24 * 60 * 60,
          description:
            'How long the old key still works, in seconds: at most 30 days, by default 1 day. Send 0 if the key leaked.',
        }),
      ),
    },
    { title: 'RotateKeyRequest' },
  ),
);

const secret = { key: Type.String({ description: 'The key. Only this response contains it.' }) };

/** The schemas of game keys and API keys. Each kind has settings of its own. */
export const keySchemas = {
  game: schemasOf(
    { ...keyFields, ...gameKeySettings },
    { ...changeFields, ...gameKeyChangeFields },
    {
      Key: 'GameKey',
      CreatedKey: 'CreatedGameKey',
      CreatedKeyOrRepeat: 'CreateGameKeyResult',
      CreateBody: 'CreateGameKeyRequest',
      ChangeBody: 'UpdateGameKeyRequest',
    },
  ),
  api: schemasOf(
    { ...keyFields, ...apiKeySettings },
    { ...changeFields, ...apiKeyChangeFields },
    {
      Key: 'ApiKey',
      CreatedKey: 'CreatedApiKey',
      CreatedKeyOrRepeat: 'CreateApiKeyResult',
      CreateBody: 'CreateApiKeyRequest',
      ChangeBody: 'UpdateApiKeyRequest',
    },
  ),
};

function schemasOf<Fields extends typeof keyFields, ChangeFields extends typeof changeFields>(
  fields: Fields,
  changes: ChangeFields,
  titles: Record<'Key' | 'CreatedKey' | 'CreatedKeyOrRepeat' | 'CreateBody' | 'ChangeBody', string>,
) {
  const Key = Type.Object(fields, { title: titles.Key });
  return {
    Key,
    KeyPage: Page(Key),
    CreatedKey: Type.Object({ ...fields, ...secret }, { title: titles.CreatedKey }),
    CreatedKeyOrRepeat: Type.Object(
      { ...fields, ...Type.Partial(Type.Object(secret)).properties },
      { title: titles.CreatedKeyOrRepeat },
    ),
    CreateBody: Type.Object({ name: Name(128), ...changes }, { title: titles.CreateBody }),
    ChangeBody: Type.Object({ name: Type.Optional(Name(128)), ...changes }, { title: titles.ChangeBody }),
  };
}
