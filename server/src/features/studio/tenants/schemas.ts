import { Type, type TSchema } from 'typebox';
import { DisplayName, Guid, Name, Nullable, OneOf, Page, Slug, Timestamp } from '../../../http/schemas.ts';
import { providers, type Provider } from './providers.ts';

export const ProviderParams = Type.Object({
  tenantId: Guid,
  provider: OneOf(providers, { title: 'AuthProvider' }),
});

const hiddenFromDiscovery = Type.Boolean({
  description: 'Whether the tenant is hidden when a third party reads the profile of a player.',
});

const settings = {
  autoCreateDefinitions: Type.Boolean({
    description: 'Whether an event with an unknown event key creates its event definition.',
  }),
};

const settingsToChange = Type.Optional(
  Type.Object(
    { autoCreateDefinitions: Type.Optional(settings.autoCreateDefinitions) },
    { title: 'UpdateTenantSettings' },
  ),
);

export const CreateTenantRequest = Type.Object(
  {
    name: DisplayName(128),
    slug: Type.Optional(Slug),
    hiddenFromDiscovery: Type.Optional(hiddenFromDiscovery),
    settings: settingsToChange,
  },
  { title: 'CreateTenantRequest' },
);

export const UpdateTenantRequest = Type.Object(
  {
    name: Type.Optional(DisplayName(128)),
    slug: Type.Optional(Slug),
    hiddenFromDiscovery: Type.Optional(hiddenFromDiscovery),
    settings: settingsToChange,
    isActive: Type.Optional(
      Type.Boolean({ description: 'False disables the tenant, as DELETE does. True enables it again.' }),
    ),
  },
  { title: 'UpdateTenantRequest' },
);

export const Tenant = Type.Object(
  {
    id: Guid,
    workspaceId: Guid,
    name: Type.String(),
    slug: Type.String({ description: 'Unique within the workspace.' }),
    hiddenFromDiscovery: Type.Boolean(),
    isActive: Type.Boolean({ description: 'If false, the keys of the tenant do not work.' }),
    isDemo: Type.Boolean({ description: 'Whether this is the demo tenant that the first start creates.' }),
    settings: Type.Object(settings, { title: 'TenantSettings' }),
    createdAt: Timestamp,
    disabledAt: Nullable(Timestamp),
  },
  { title: 'Tenant' },
);

export const TenantPage = Page(Tenant);

/** Many identity services give the Android, iOS and web clients of one game different audiences. */
const Audience = Type.Unsafe<string | string[]>({
  ...Name(256),
  // The serializer tries them in this order. As a string, it joins an array with commas.
  type: ['array', 'string'],
  items: Name(256),
  minItems: 1,
  maxItems: 10,
  uniqueItems: true,
  description:
    'WalletJwt: the expected audience of the tokens, or an array of 1 to 10 audiences. A token needs one of them.',
});

/** The settings of each provider. Secrets are optional, because an omitted secret keeps its value. */
const settingsOf = {
  StoreA: Type.Object({
    appId: Name(64, 'StoreA: the application id at the store.'),
    webApiKey: Type.Optional(Name(256, 'StoreA: the web API key of the publisher. Write-only.')),
    identity: Type.Optional(
      Name(256, 'StoreA: the identity that the game passes when it requests a ticket.'),
    ),
  }),
  StoreB: Type.Object({ clientId: Name(256, 'StoreB: the OAuth client id that tokens are issued to.') }),
  WalletJwt: Type.Object({
    issuer: Name(
      512,
      'WalletJwt: the issuer of the tokens, an https URL. The signing keys are found by OpenID discovery.',
    ),
    audience: Audience,
    addressClaim: Type.Optional(
      Name(
        128,
        'WalletJwt: the claim that contains the wallet address. Default: `wallet_address`. If a token has no such claim, `sub` is used.',
      ),
    ),
  }),
  EvmWallet: Type.Object({
    chainIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxItems: 64,
        uniqueItems: true,
        description: 'EvmWallet: the accepted chains. Without it, all chains are accepted.',
      }),
    ),
  }),
  EmailOneTimeCode: Type.Object({}),
  EmailPassword: Type.Object({}),
  Mock: Type.Object({}),
} satisfies Record<Provider, TSchema>;

const { webApiKey, ...readableSettings } = {
  ...settingsOf.StoreA.properties,
  ...settingsOf.StoreB.properties,
  ...settingsOf.WalletJwt.properties,
  ...settingsOf.EvmWallet.properties,
};

const anySettings = Type.Partial(Type.Object({ ...readableSettings, webApiKey })).properties;

/** The request body for each provider. The route validates against it after it has read the provider from the path. */
export const providerBodies = new Map<string, TSchema>(
  providers.map((provider) => [
    provider,
    Type.Object({
      enabled: Type.Boolean(),
      settings: Type.Optional(Type.Object({ ...anySettings, ...settingsOf[provider].properties })),
    }),
  ]),
);

export const UpdateProviderRequest = Type.Object(
  {
    enabled: Type.Boolean(),
    settings: Type.Optional(
      Type.Object(anySettings, {
        title: 'UpdateProviderSettings',
        description:
          'StoreA needs `appId` and `webApiKey`, StoreB `clientId`, and WalletJwt `issuer` and `audience`. A provider ignores the ' +
          'settings of others. Omit `settings` to keep the stored ones.',
      }),
    ),
  },
  { title: 'UpdateProviderRequest' },
);

const hasWebApiKey = Type.Boolean({ description: 'StoreA: whether a web API key is stored.' });

export const ProviderSchema = Type.Object(
  {
    provider: OneOf(providers, { title: 'AuthProvider' }),
    enabled: Type.Boolean(),
    isConfigured: Type.Boolean({ description: 'Whether all required settings have a value.' }),
    settings: Type.Unsafe<Record<string, unknown>>(
      Type.Partial(Type.Object({ ...readableSettings, hasWebApiKey }), {
        title: 'ProviderSettings',
        description: 'The settings of this provider. Secrets are not shown.',
      }),
    ),
    updatedAt: Nullable(Timestamp),
  },
  { title: 'Provider' },
);

export const ProviderList = Type.Object(
  { items: Type.Array(ProviderSchema, { maxItems: providers.length }) },
  { title: 'ProviderList' },
);
