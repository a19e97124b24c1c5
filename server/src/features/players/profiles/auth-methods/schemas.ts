import { Type, type Static } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../../http/schemas.ts';
import { CodeLoginRequest } from '../../../sign-in/email/index.ts';
import { tokenProviders } from '../../../sign-in/login/index.ts';
import { WalletLoginRequest } from '../../../sign-in/wallet/index.ts';
import { providers } from '../../../studio/tenants/index.ts';
import { MAX_AUTH_METHODS } from './queries.ts';

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

/** Accepts any text, so that a malformed id gets the same 400 as an unknown one. */
export const AuthMethodPath = Type.Object({ authMethodId: Type.String({ transform: ['toLowerCase'] }) });

export const Token = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description:
    'The token or ticket of the provider, as at a sign-in. For StoreA with a portal token: the callback URL to which StoreA ' +
    'redirected the player.',
});

const linkableProviders = [...tokenProviders, 'EvmWallet', 'EmailOneTimeCode'] as const;
type LinkableProvider = (typeof linkableProviders)[number];

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

export const SetPrimaryAuthMethodRequest = proofAlone('SetPrimaryAuthMethodRequest');

/** The body of a deletion. */
export const IdentityProofRequest = proofAlone('IdentityProofRequest');
