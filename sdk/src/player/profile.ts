import type { components } from '../api.ts';
import type { Answer, Api, Body } from '../core/api-types.ts';
import { proofHeader, type IdentityProof, type WithProof } from './identity-proof.ts';
import { signChallenge, type WalletSigner } from './wallet-signer.ts';

export type PlayerProfile = Answer<'/api/player-profile/me', 'get'>;
export type Device = Answer<'/api/player/devices', 'get'>[number];
export type PastSession = Answer<'/api/player/sessions/history', 'get'>['sessions'][number];
type AuthMethod = Answer<'/api/player-profile/me/auth-methods', 'post'>;
type TokenProvider = components['schemas']['TokenProvider'];

/** What shows that an account, a wallet or a mailbox is the player's, as at a sign-in. */
export type AuthMethodCredential =
  | { provider: TokenProvider; token: string }
  | { provider: 'EvmWallet'; message: string; signature: string }
  | { provider: 'EmailOneTimeCode'; email: string; code: string };

/** A profile to merge, with a token that signs in to it, a proof of it, or both. */
export type MergeSource = { sourceProfileId: string } & (
  | { sourceProvider: TokenProvider; sourceAuthToken: string; sourceProof?: IdentityProof | undefined }
  | { sourceProvider?: undefined; sourceAuthToken?: undefined; sourceProof: IdentityProof }
);

/** The operations on a player's own data: the profile, its sign-in methods, its devices and its history. */
export interface OwnProfile {
  get(): Promise<PlayerProfile>;
  update(changes: Body<'/api/player-profile/me', 'patch'>): Promise<PlayerProfile>;
  /** Uploads a PNG or JPG image of at most 2 MiB. Returns its address. */
  uploadAvatar(image: Blob): Promise<string>;
  /** Deletes the profile for good, and returns the number of the receipt. Sign out afterwards: the access token works until it expires. */
  delete(options?: WithProof): Promise<string>;
  /** Everything that is stored about the player. */
  exportData(options?: WithProof): Promise<Answer<'/api/player-profile/me/export', 'get'>>;
  listTenants(): Promise<Answer<'/api/player-profile/me/bus_tenants', 'get'>>;

  /** The sign-in methods. A portal session without a proof gets only its own one, which it can remove. */
  listAuthMethods(): Promise<AuthMethod[]>;
  linkAuthMethod(
    method: AuthMethodCredential & { setAsPrimary?: boolean | undefined },
    options?: WithProof,
  ): Promise<AuthMethod>;
  unlinkAuthMethod(authMethodId: string, options?: WithProof): Promise<void>;
  setPrimaryAuthMethod(authMethodId: string, options?: WithProof): Promise<AuthMethod>;
  /**
   * Merges another profile of the player into this one, with a token that signs in to the other one, or with `sourceProof`, a proof of
   * it. After a lost answer, `mergedProfileIds` of the profile says whether it was merged.
   */
  merge(source: MergeSource, options?: WithProof): Promise<PlayerProfile>;
  /** Mails a code for a proof of identity. */
  sendProofCode(email: string): Promise<Answer<'/api/player-portal-auth/email/otc', 'post'>>;
  /** Lets the player's wallet sign a proof of identity. */
  signProof(wallet: WalletSigner): Promise<IdentityProof>;

  listDevices(): Promise<Device[]>;
  updateDevice(
    deviceId: string,
    changes: Omit<Body<'/api/player/devices/{deviceId}', 'patch'>, 'proof'>,
    options?: WithProof,
  ): Promise<Device>;
  /** The login sessions of the player, newest first. Pages are read as they are needed. */
  sessionHistory(options?: {
    tenantId?: string | undefined;
    pageSize?: number | undefined;
  }): AsyncGenerator<PastSession>;
  sessionSummary(): Promise<Answer<'/api/player/sessions/summary', 'get'>>;
}

export function createOwnProfile(api: Api, open: Api): OwnProfile {
  return {
    get: () => api.GET('/api/player-profile/me'),
    update: (body) => api.PATCH('/api/player-profile/me', { body }),
    uploadAvatar: async (image) => {
      const body = new FormData();
      body.append('avatarFile', image);
      return (await api.POST('/api/player-profile/me/avatar', { body })).avatarUrl;
    },
    delete: async (options = {}) => {
      const params = { header: proofHeader(options) };
      const { headers } = await api.DELETE('/api/player-profile/me', { params, readAs: 'response' });
      return headers.get('x-deletion-receipt') ?? '';
    },
    exportData: (options = {}) =>
      api.GET('/api/player-profile/me/export', { params: { header: proofHeader(options) } }),
    listTenants: () => api.GET('/api/player-profile/me/bus_tenants'),

    listAuthMethods: () => api.GET('/api/player-profile/me/auth-methods'),
    linkAuthMethod: (body, options = {}) =>
      api.POST('/api/player-profile/me/auth-methods', { body: { ...body, ...options } }),
    unlinkAuthMethod: (authMethodId, options = {}) =>
      api.DELETE('/api/player-profile/me/auth-methods/{authMethodId}', {
        params: { path: { authMethodId }, header: proofHeader(options) },
      }),
    setPrimaryAuthMethod: (authMethodId, options = {}) =>
      api.POST('/api/player-profile/me/auth-methods/{authMethodId}/set-primary', {
        params: { path: { authMethodId }, header: proofHeader(options) },
      }),
    merge: (body, options = {}) =>
      api.POST('/api/player-profile/me/merge', { body: { ...body, ...options } }),
    sendProofCode: (email) => open.POST('/api/player-portal-auth/email/otc', { body: { email } }),
    signProof: async (wallet) => ({
      provider: 'EvmWallet',
      ...(await signChallenge(open, '/api/player-portal-auth/wallet/challenge', wallet)),
    }),

    listDevices: () => api.GET('/api/player/devices'),
    updateDevice: (deviceId, changes, options = {}) =>
      api.PATCH('/api/player/devices/{deviceId}', {
        params: { path: { deviceId } },
        body: { ...changes, ...options },
      }),
    sessionHistory: async function* (query = {}) {
      for (let cursor: { cursorTimestamp?: string; cursorId?: string } = {}; ;) {
        const page = await api.GET('/api/player/sessions/history', {
          params: { query: { ...query, ...cursor } },
        });
        yield* page.sessions;
        const { nextCursorTimestamp: cursorTimestamp, nextCursorId: cursorId } = page;
        if (!cursorTimestamp || !cursorId) return;
        cursor = { cursorTimestamp, cursorId };
      }
    },
    sessionSummary: () => api.GET('/api/player/sessions/summary'),
  };
}
