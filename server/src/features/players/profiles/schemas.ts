import { Type, type Static } from 'typebox';
import { Guid, Name, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { ExchangeBody } from '../../sign-in/email/index.ts';
import { tokenProviders } from '../../sign-in/login/index.ts';
import { providers } from '../../studio/tenants/index.ts';
import { VerifyBody } from '../../sign-in/wallet/index.ts';
import { MOST_GAMES, MOST_MERGED, MOST_METHODS } from './limits.ts';

const linkableProviders = [...tokenProviders, 'EvmWallet', 'EmailOneTimeCode'] as const;
type LinkableProvider = (typeof linkableProviders)[number];

export const visibilities = ['private', 'limited', 'full'] as const;

/** authMethods[] item (spec: player profile views). */
export const AuthMethod = Type.Object({
  id: Guid,
  authProvider: OneOf(providers),
  providerUserId: Type.String({ description: 'Who the player is at the provider.' }),
  email: Nullable(Type.String()),
  username: Nullable(Type.String()),
  displayName: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
  isPrimary: Type.Boolean(),
  linkedAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
});

/** TenantAccessDTO (spec: player profile views). */
export const TenantAccess = Type.Object({
  tenantId: Guid,
  tenantRole: Type.String(),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  loginCount: Type.Integer(),
});

export const TenantAccessList = Type.Array(TenantAccess, { maxItems: MOST_GAMES });

/** FullPlayerProfileDTO (spec: player profile views). */
export const FullPlayerProfile = Type.Object({
  id: Guid,
  displayName: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
  email: Nullable(Type.String()),
  platformRole: Type.String(),
  profileVisibility: OneOf(visibilities, { description: 'What others see of the profile.' }),
  createdAt: Timestamp,
  isActive: Type.Boolean({ description: 'False once the profile is deleted.' }),
  mergedIntoId: Nullable(Guid),
  mergedProfileIds: Type.Array(Guid, {
    maxItems: MOST_MERGED,
    description: 'The profiles that were merged into this one.',
  }),
  authMethods: Type.Array(AuthMethod, { maxItems: 2 * MOST_METHODS }),
  tenantAccess: TenantAccessList,
});

export const ChangeProfileBody = Type.Object({
  displayName: Type.Optional(Nullable(Name(64, 'Null clears it.'))),
  avatarUrl: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 2048,
        description: 'An https address, or one that an upload has given. Null clears it.',
      }),
    ),
  ),
  profileVisibility: Type.Optional(OneOf(visibilities)),
});

export const AvatarResult = Type.Object({ avatarUrl: Type.String() });

/** Not validated: the parts of a form are read one by one. */
export const AvatarForm = Type.Object({
  avatarFile: Type.String({ format: 'binary', description: 'A PNG or JPG of at most 2 MiB.' }),
});

export const AvatarPath = Type.Object({ name: Type.String() });

/** Any text, for what is no identifier of the player's is a 400 like an unknown one (spec: profile endpoints). */
export const AuthMethodPath = Type.Object({ authMethodId: Type.String({ transform: ['toLowerCase'] }) });

const Token = Type.String({
  minLength: 1,
  maxLength: 8192,
  description:
    'What the provider gave, as for signing in; for StoreA with a token of the portal, the address to which StoreA has sent ' +
    'the player back.',
});

/** Which members a credential has, besides `provider`. Those of the other providers are ignored. */
export const credentialMembers: Record<LinkableProvider, readonly (keyof Static<typeof IdentityProof>)[]> = {
  StoreA: ['token'],
  StoreB: ['token'],
  WalletJwt: ['token'],
  Mock: ['token'],
  EvmWallet: ['message', 'signature'],
  EmailOneTimeCode: ['email', 'code'],
};

const credential = {
  provider: OneOf(linkableProviders),
  token: Type.Optional(Token),
  message: Type.Optional(VerifyBody.properties.message),
  signature: Type.Optional(VerifyBody.properties.signature),
  email: Type.Optional(ExchangeBody.properties.email),
  code: Type.Optional(ExchangeBody.properties.code),
};

export const IdentityProof = Type.Object(credential, {
  description:
    'A proof of identity, by a sign-in method that the profile has: EmailOneTimeCode with `email` and a `code` of ' +
    '`/api/player-portal-auth/email/otc`; EvmWallet with `message` and `signature` of `/api/player-portal-auth/wallet/challenge`; ' +
    'StoreA with the address at which the player came back from `/api/player-portal-auth/storea/start` as `token`.',
});

export const LinkBody = Type.Object({
  ...credential,
  setAsPrimary: Type.Boolean({ default: false }),
  proof: Type.Optional(IdentityProof),
});

export const SetPrimaryBody = Nullable(Type.Object({ proof: Type.Optional(IdentityProof) }));

export const MergeBody = Type.Object({
  sourceProfileId: Guid,
  sourceProvider: OneOf(tokenProviders),
  sourceAuthToken: Token,
  proof: Type.Optional(IdentityProof),
  sourceProof: Type.Optional(IdentityProof),
});
