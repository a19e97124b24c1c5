import { Type } from 'typebox';
import { Guid, Metadata, OneOf } from '../../../http/schemas.ts';
import { visibilities } from '../../../core/visibility.ts';
import { providers } from '../../studio/tenants/index.ts';
import { tokenProviders } from './identity.ts';
import { platforms } from './platforms.ts';

/** The platform of a session or a device, as the API returns it. */
export const platformFields = {
  platform: OneOf(platforms, { title: 'Platform' }),
  platformDisplayName: Type.String({
    description: 'The display name of the platform, for example "Console B5 Pro".',
  }),
};

/** The game client and its platform. */
const ClientInfo = Type.Object(
  {
    platform: OneOf(platforms, { title: 'Platform', description: 'The platform that the game runs on.' }),
    clientVersion: Type.Optional(Type.String({ maxLength: 32 })),
    clientBuild: Type.Optional(Type.String({ maxLength: 64 })),
    metadata: Type.Optional(Metadata),
  },
  { title: 'ClientInfo' },
);

/** The device of a player. */
const DeviceInfo = Type.Object(
  {
    deviceFingerprint: Type.String({
      minLength: 16,
      maxLength: 256,
      description: 'A hash of hardware identifiers. It is unique within a player.',
    }),
    hardwareModel: Type.Optional(Type.String({ maxLength: 128 })),
    osVersion: Type.Optional(Type.String({ maxLength: 64 })),
    metadata: Type.Optional(Metadata),
  },
  { title: 'DeviceInfo' },
);

const ProfileVisibility = OneOf(visibilities, {
  title: 'ProfileVisibility',
  description: 'How much of the profile others can see. Applied only if the request creates the player.',
});

/** The fields of every body that can register a device. */
export const deviceFields = {
  deviceInfo: Type.Optional(DeviceInfo),
  clientInfo: Type.Optional(ClientInfo),
};

/** The fields, except the credential, of every body that can create a player. */
export const creationFields = {
  profileVisibility: Type.Optional(ProfileVisibility),
  ...deviceFields,
};

/** The fields, except the credential, of every body that signs a player in. */
export const signInFields = {
  ...creationFields,
  createAccountIfMissing: Type.Boolean({
    default: true,
    description: 'Whether to create a player who does not exist. If false, the response is 404.',
  }),
};

const credentialFields = {
  provider: OneOf(tokenProviders, { title: 'TokenProvider' }),
  token: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description:
      'The credential: StoreA’s web API ticket in hexadecimal digits, StoreB’s OAuth access token, the wallet’s JWT, or ' +
      '`mock:<username>:<password>`.',
  }),
};

export const LoginRequest = Type.Object({ ...credentialFields, ...signInFields }, { title: 'LoginRequest' });

export const CreatePlayerRequest = Type.Object(
  { ...credentialFields, ...creationFields },
  { title: 'CreatePlayerRequest' },
);

export const PlayerExistsRequest = Type.Object(
  {
    provider: OneOf(
      providers.filter((provider) => provider !== 'EmailPassword'),
      { title: 'ExistingPlayerProvider' },
    ),
    providerUserId: Type.String({
      minLength: 1,
      maxLength: 512,
      transform: ['trim'],
      description:
        'The user id at the provider. WalletJwt: the `sub` of the tenant’s issuer. EvmWallet: the address or ' +
        '`eip155:<chain id>:<address>`. EmailOneTimeCode: the email address. Mock: the username.',
    }),
  },
  { title: 'PlayerExistsRequest' },
);

export const PlayerExistsResult = Type.Object({ playerId: Guid }, { title: 'PlayerExistsResult' });
