import { Type } from 'typebox';
import { Guid, Metadata, OneOf } from '../../../http/schemas.ts';
import { providers } from '../../studio/tenants/index.ts';
import { tokenProviders } from './identity.ts';
import { platforms } from './platforms.ts';

/** ClientInfoRequest (spec: device). */
export const ClientInfo = Type.Object({
  platform: OneOf(platforms, { description: 'Where the game runs.' }),
  clientVersion: Type.Optional(Type.String({ maxLength: 32 })),
  clientBuild: Type.Optional(Type.String({ maxLength: 64 })),
  metadata: Type.Optional(Metadata),
});

/** DeviceInfoRequest (spec: device). */
export const DeviceInfo = Type.Object({
  deviceFingerprint: Type.String({
    minLength: 16,
    maxLength: 256,
    description: 'A hash of hardware identifiers, unique per player.',
  }),
  hardwareModel: Type.Optional(Type.String({ maxLength: 128 })),
  osVersion: Type.Optional(Type.String({ maxLength: 64 })),
  metadata: Type.Optional(Metadata),
});

export const ProfileVisibility = OneOf(['private', 'limited', 'full'], {
  description: 'What outsiders see of the profile. Applied only where the request creates the player.',
});

/** What every body takes that can register a device. */
export const deviceFields = {
  deviceInfo: Type.Optional(DeviceInfo),
  clientInfo: Type.Optional(ClientInfo),
};

/** What every body that may create a player takes beside the credential. */
export const creationFields = {
  profileVisibility: Type.Optional(ProfileVisibility),
  ...deviceFields,
};

/** What every body that signs a player in takes beside the credential. */
export const signInFields = {
  ...creationFields,
  createAccountIfMissing: Type.Boolean({
    default: true,
    description: 'Without it, a player who does not exist is a 404.',
  }),
};

const credentialFields = {
  provider: OneOf(tokenProviders),
  token: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description:
      'The credential: StoreA’s web API ticket in hexadecimal digits, StoreB’s OAuth access token, the wallet’s JWT, or ' +
      '`mock:<username>:<password>`.',
  }),
};

export const LoginBody = Type.Object({ ...credentialFields, ...signInFields });

export const CreatePlayerBody = Type.Object({ ...credentialFields, ...creationFields });

export const PlayerExistsBody = Type.Object({
  provider: OneOf(providers.filter((provider) => provider !== 'EmailPassword')),
  providerUserId: Type.String({
    minLength: 1,
    maxLength: 512,
    transform: ['trim'],
    description:
      'The user id at the provider: the `sub` of tokens of the tenant’s issuer for WalletJwt, the address or ' +
      '`eip155:<chain id>:<address>` for EvmWallet, the e-mail address for EmailOneTimeCode, the username for Mock.',
  }),
});

export const PlayerExistsResult = Type.Object({ playerId: Guid });
