import type { Answer, Api, Body } from '../core/api-types.ts';
import { signChallenge, type WalletSigner } from './wallet-signer.ts';

/** The answer of each sign-in. */
export type LoginResult = Answer<'/api/player-auth/login', 'post'>;

type LoginOptions = Omit<Body<'/api/player-auth/otc/exchange', 'post'>, 'email' | 'code'>;

/** The members of a wallet that are sent with its sign-in. The object can have others, such as its private key. */
const LOGIN_OPTIONS = [
  'clientInfo',
  'deviceInfo',
  'createAccountIfMissing',
  'profileVisibility',
] as const satisfies (keyof LoginOptions)[];

/** All ways in which a player signs in to a game. Each returns the player and starts the session of the client. */
export interface SignIn {
  /** Signs in with a credential of a provider: a ticket of a store, a token of a wallet, or `mock:<name>:<password>`. */
  withProvider(login: Body<'/api/player-auth/login', 'post'>): Promise<LoginResult>;
  /** Creates a player, and fails with `player_exists` if the player exists. */
  createPlayer(login: Body<'/api/player-auth/players', 'post'>): Promise<LoginResult>;
  /** Requests a message, lets the wallet sign it, and signs in. */
  withWallet(wallet: WalletSigner & LoginOptions): Promise<LoginResult>;
  /** Mails a code of six digits, for `withCode`. */
  sendCode(email: string): Promise<Answer<'/api/player-auth/email/otc', 'post'>>;
  withCode(login: Body<'/api/player-auth/otc/exchange', 'post'>): Promise<LoginResult>;
  signUp(account: Body<'/api/player-auth/email/signup', 'post'>): Promise<LoginResult>;
  withPassword(login: Body<'/api/player-auth/email/tenant-login', 'post'>): Promise<LoginResult>;
  /** Takes the token of an email that a sign-up sent. */
  verifyEmail(token: string): Promise<Answer<'/api/player-auth/email/verify', 'post'>>;
  /** Mails the player who is signed in another token for `verifyEmail`. Fails with `conflict` if no address is to be verified. */
  resendVerification(): Promise<void>;
  requestPasswordReset(email: string): Promise<void>;
  resetPassword(
    reset: Body<'/api/player-auth/email/password-reset/confirm', 'post'>,
  ): Promise<Answer<'/api/player-auth/email/password-reset/confirm', 'post'>>;
  /** One pair of calls for wallets and codes, for a launcher with both. */
  requestChallenge(
    subject: Body<'/api/player-auth/challenge', 'post'>,
  ): Promise<Answer<'/api/player-auth/challenge', 'post'>>;
  answerChallenge(answer: Body<'/api/player-auth/challenge/verify', 'post'>): Promise<LoginResult>;
}

export function createSignIn(
  open: Api,
  api: Api,
  start: (result: LoginResult) => Promise<LoginResult>,
): SignIn {
  return {
    withProvider: async (body) => start(await open.POST('/api/player-auth/login', { body })),
    createPlayer: async (body) => start(await open.POST('/api/player-auth/players', { body })),
    withWallet: async (wallet) => {
      const login: LoginOptions = Object.fromEntries(
        LOGIN_OPTIONS.filter((name) => wallet[name] !== undefined).map((name) => [name, wallet[name]]),
      );
      const signed = await signChallenge(open, '/api/player-auth/wallet/challenge', wallet);
      return start(await open.POST('/api/player-auth/wallet/verify', { body: { ...login, ...signed } }));
    },
    sendCode: (email) => open.POST('/api/player-auth/email/otc', { body: { email } }),
    withCode: async (body) => start(await open.POST('/api/player-auth/otc/exchange', { body })),
    signUp: async (body) => start(await open.POST('/api/player-auth/email/signup', { body })),
    withPassword: async (body) => start(await open.POST('/api/player-auth/email/tenant-login', { body })),
    verifyEmail: (token) => open.POST('/api/player-auth/email/verify', { body: { token } }),
    resendVerification: async () => {
      await api.POST('/api/player-auth/email/resend');
    },
    requestPasswordReset: async (email) => {
      await open.POST('/api/player-auth/email/password-reset/request', { body: { email } });
    },
    resetPassword: (body) => open.POST('/api/player-auth/email/password-reset/confirm', { body }),
    requestChallenge: (body) => open.POST('/api/player-auth/challenge', { body }),
    answerChallenge: async (body) => start(await open.POST('/api/player-auth/challenge/verify', { body })),
  };
}
