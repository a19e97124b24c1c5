import { Type, type Static } from 'typebox';
import { DisplayName, Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { visibilities } from '../../../core/visibility.ts';
import { CodeLoginRequest } from '../../sign-in/email/index.ts';
import { tokenProviders } from '../../sign-in/login/index.ts';
import { providers } from '../../studio/tenants/index.ts';
import { WalletLoginRequest } from '../../sign-in/wallet/index.ts';
import { MAX_AUTH_METHODS } from './auth-methods/queries.ts';
import { MAX_LISTED_TENANTS, MAX_MERGED_PROFILES } from './queries.ts';

const linkableProviders = [...tokenProviders, 'EvmWallet', 'EmailOneTimeCode'] as const;
type LinkableProvider = (typeof linkableProviders)[number];

/** A sign-in method of a profile. */
export const AuthMethod = Type.Object(
  {
    id: Guid,
    authProvider: OneOf(providers, { title: 'AuthProvider' }),
    providerUserId: Type.String({ description: 'The id of the player at the provider.' }),
    email: Nullable(Type.String()),
    username: Nullable(Type.String()),
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    isPrimary: Type.Boolean(),
    linkedAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  },
  { title: 'AuthMethod' },
);

export const AuthMethodList = Type.Array(AuthMethod, {
  title: 'AuthMethodList',
  maxItems: 2 * MAX_AUTH_METHODS,
});

/** A player’s access record in a tenant. */
export const TenantAccessSchema = Type.Object(
  {
    tenantId: Guid,
    tenantRole: Type.String(),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    loginCount: Type.Integer(),
  },
  { title: 'TenantAccess' },
);

export const TenantAccessList = Type.Array(TenantAccessSchema, {
  title: 'TenantAccessList',
  maxItems: MAX_LISTED_TENANTS,
});

/** A profile as its own player sees it. */
export const FullPlayerProfile = Type.Object(
  {
    id: Guid,
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    email: Nullable(Type.String()),
    platformRole: Type.String(),
    profileVisibility: OneOf(visibilities, {
      title: 'ProfileVisibility',
      description: 'How much of the profile other players and studios see.',
    }),
    createdAt: Timestamp,
    isActive: Type.Boolean({ description: 'False after the profile was deleted.' }),
    mergedIntoId: Nullable(Guid),
    mergedProfileIds: Type.Array(Guid, {
      maxItems: MAX_MERGED_PROFILES,
      description: 'The profiles that were merged into this one.',
    }),
    authMethods: AuthMethodList,
    tenantAccess: TenantAccessList,
  },
  { title: 'FullPlayerProfile' },
);

export const UpdateProfileRequest = Type.Object(
  {
    displayName: Type.Optional(Nullable(DisplayName(64, ' Null clears it.'))),
    avatarUrl: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2048,
          description: 'An https URL, or the URL of an uploaded avatar. Null clears it.',
        }),
      ),
    ),
    profileVisibility: Type.Optional(OneOf(visibilities, { title: 'ProfileVisibility' })),
  },
  { title: 'UpdateProfileRequest' },
);

export const AvatarResult = Type.Object({ avatarUrl: Type.String() }, { title: 'AvatarResult' });

/** For the API reference only: the form parser validates the file. */
export const UploadAvatarRequest = Type.Object(
  {
    avatarFile: Type.String({ format: 'binary', description: 'A PNG or JPG of at most 2 MiB.' }),
  },
  { title: 'UploadAvatarRequest' },
);

export const AvatarPath = Type.Object({ name: Type.String() });

/** Accepts any text, so that a malformed id gets the same 400 as an unknown one. */
export const AuthMethodPath = Type.Object({ authMethodId: Type.String({ transform: ['toLowerCase'] }) });

const Token = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description:
    'The token or ticket of the provider, as at a sign-in. For StoreA with a portal token: the callback URL to which StoreA ' +
    'redirected the player.',
});

/** The fields of a credential, besides `provider`. The fields of other providers are ignored. */
export const credentialFields: Record<LinkableProvider, readonly (keyof Static<typeof IdentityProof>)[]> = {
  StoreA: ['token'],
  StoreB: ['token'],
  WalletJwt: ['token'],
  Mock: ['token'],
  EvmWallet: ['message', 'signature'],
  EmailOneTimeCode: ['email', 'code'],
};

const credential = {
  provider: OneOf(linkableProviders, { title: 'LinkableProvider' }),
  token: Type.Optional(Token),
  message: Type.Optional(WalletLoginRequest.properties.message),
  signature: Type.Optional(WalletLoginRequest.properties.signature),
  email: Type.Optional(CodeLoginRequest.properties.email),
  code: Type.Optional(CodeLoginRequest.properties.code),
};

export const IdentityProof = Type.Object(credential, {
  title: 'IdentityProof',
  description:
    'A proof of identity, by a sign-in method of the profile. EmailOneTimeCode: `email`, and a `code` of ' +
    '`/api/player-portal-auth/email/otc`. EvmWallet: `message` and `signature` for `/api/player-portal-auth/wallet/challenge`. ' +
    'StoreA: as `token`, the callback URL after `/api/player-portal-auth/storea/start`.',
});

export const LinkAuthMethodRequest = Type.Object(
  {
    ...credential,
    setAsPrimary: Type.Boolean({ default: false }),
    proof: Type.Optional(IdentityProof),
  },
  { title: 'LinkAuthMethodRequest' },
);

/** An optional body, which has nothing but a proof. */
const proofAlone = (title: string) =>
  Nullable(Type.Object({ proof: Type.Optional(IdentityProof) }, { title }));

export const SetPrimaryBody = proofAlone('SetPrimaryAuthMethodRequest');

/** The body of a deletion. */
export const ProofBody = proofAlone('IdentityProofRequest');

export const MergeProfileRequest = Type.Object(
  {
    sourceProfileId: Guid,
    sourceProvider: Type.Optional(Nullable(OneOf(tokenProviders, { title: 'TokenProvider' }))),
    sourceAuthToken: Type.Optional(Token),
    proof: Type.Optional(IdentityProof),
    sourceProof: Type.Optional(IdentityProof),
  },
  { title: 'MergeProfileRequest' },
);

/** The response header with the id of the receipt of a deletion. */
export const RECEIPT_HEADER = 'X-Deletion-Receipt';

/** The answer to a deletion. */
export const Deleted = Type.Null({
  headers: { [RECEIPT_HEADER]: { type: 'string', description: 'The id of the receipt of the deletion.' } },
});

export const DeletionReceipt = Type.Object(
  {
    receiptId: Guid,
    playerId: Guid,
    deletedAt: Timestamp,
    deletedBy: OneOf(['player', 'account'], {
      description: 'The player, or the account of a platform administrator.',
    }),
    removedAuthMethods: Type.Integer({ description: 'The number of sign-in methods that were removed.' }),
    erasedSessions: Type.Integer({ description: 'The number of sessions whose IP address was erased.' }),
    destroyedKeys: Type.Integer({
      description:
        'The number of sessions whose key was destroyed. The key encrypted the IP address and the metadata in the login and logout ledgers.',
    }),
  },
  { title: 'DeletionReceipt' },
);

export const DeletionReceiptsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ ...Guid, description: 'The `nextCursor` of the previous page.' })),
});

export const DeletionReceiptPage = Type.Object(
  {
    items: Type.Array(DeletionReceipt),
    nextCursor: Type.Optional(
      Type.String({ description: 'The cursor of the next page. Absent on the last page.' }),
    ),
    hasMore: Type.Boolean(),
  },
  { title: 'DeletionReceiptPage' },
);
