import { Type, type TSchema } from 'typebox';
import { Guid, Name, Nullable, OneOf, Page, Slug, Timestamp } from '../../../http/schemas.ts';
import { providers, type Provider } from './providers.ts';

export const WorkspaceParams = Type.Object({ workspaceId: Guid });
export const TenantParams = Type.Object({ tenantId: Guid });
export const ProviderParams = Type.Object({ tenantId: Guid, provider: OneOf(providers) });

const hiddenFromDiscovery = Type.Boolean({
  description: 'Whether the tenant is left out of what outsiders see of its players.',
});

export const CreateTenantBody = Type.Object({
  name: Name(128),
  slug: Type.Optional(Slug),
  hiddenFromDiscovery: Type.Optional(hiddenFromDiscovery),
});

export const ChangeTenantBody = Type.Object({
  name: Type.Optional(Name(128)),
  slug: Type.Optional(Slug),
  hiddenFromDiscovery: Type.Optional(hiddenFromDiscovery),
  isActive: Type.Optional(
    Type.Boolean({ description: 'False disables the tenant as DELETE does, true undoes that.' }),
  ),
});

export const Tenant = Type.Object({
  id: Guid,
  workspaceId: Guid,
  name: Type.String(),
  slug: Type.String({ description: 'Unique within the workspace.' }),
  hiddenFromDiscovery: Type.Boolean(),
  isActive: Type.Boolean({ description: 'The keys of a tenant that is not active do not work.' }),
  isDemo: Type.Boolean({ description: 'Made by the first start, to try things out.' }),
  settings: Type.Object({
    autoCreateDefinitions: Type.Boolean({
      description: 'Whether an event with an unknown key creates its definition.',
    }),
  }),
  createdAt: Timestamp,
  disabledAt: Nullable(Timestamp),
});

export const TenantPage = Page(Tenant);

const Setting = (maxLength: number, description: string) => Name(maxLength, description);

/** What each provider can be told. Secrets can be left out: the stored ones are kept. */
const settingsOf: Record<Provider, TSchema> = {
  StoreA: Type.Object({
    appId: Setting(64, 'The application’s id at the store.'),
    webApiKey: Type.Optional(Setting(256, 'The publisher’s web API key. Write-only.')),
    identity: Type.Optional(Setting(256, 'The identity that tickets are made for.')),
  }),
  StoreB: Type.Object({ clientId: Setting(256, 'The client that tokens are issued to.') }),
  WalletJwt: Type.Object({
    issuer: Setting(512, 'The issuer of the tokens, an https address. Its keys are read from there.'),
    audience: Setting(256, 'The audience that tokens are issued for.'),
    addressClaim: Type.Optional(
      Setting(
        128,
        'The claim that holds the wallet’s address. Left out: `wallet_address`. A token without it: `sub`.',
      ),
    ),
  }),
  EvmWallet: Type.Object({
    chainIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxItems: 64,
        uniqueItems: true,
      }),
    ),
  }),
  EmailOneTimeCode: Type.Object({}),
  EmailPassword: Type.Object({}),
  Mock: Type.Object({}),
};

/** The body of a change to one provider: what the route checks once it knows which provider it is about. */
export const providerBodies = new Map<string, TSchema>(
  providers.map((provider) => [
    provider,
    Type.Object({ enabled: Type.Boolean(), settings: Type.Optional(settingsOf[provider]) }),
  ]),
);

export const SetProviderBody = Type.Object({
  enabled: Type.Boolean(),
  settings: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'StoreA: `appId`, `webApiKey` (write-only), `identity?`. StoreB: `clientId`. WalletJwt: `issuer`, `audience`, ' +
        '`addressClaim?`. EvmWallet: `chainIds?`. The others have none. Left out: they stay as they are.',
    }),
  ),
});

export const ProviderView = Type.Object({
  provider: OneOf(providers),
  enabled: Type.Boolean(),
  isConfigured: Type.Boolean({ description: 'Whether everything is set that the provider needs.' }),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Secrets are not shown: `hasWebApiKey` tells whether there is one.',
  }),
  updatedAt: Nullable(Timestamp),
});

export const ProviderList = Type.Object({ items: Type.Array(ProviderView, { maxItems: providers.length }) });
