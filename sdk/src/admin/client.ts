import type { Answer, Api, Body } from '../core/api-types.ts';
import { cancellable, type Cancellable } from '../core/cancellation.ts';
import { createApi } from '../core/http.ts';
import type { Session } from '../core/session.ts';
import { createSignedInClient, ignoreRefusal, type SessionClientOptions } from '../core/signed-in.ts';
import { requireTokens } from '../core/stored-session.ts';
import { followNotifications, type NotificationFeed, type NotificationFeedOptions } from './notifications.ts';

/** The account of a person who works for a studio. */
export type AccountUser = Answer<'/api/saas-auth/me', 'get'>['user'];

type LoginAnswer = Answer<'/api/saas-auth/login', 'post'>;

/** The answer to a login of an account with a second factor. */
export type SecondFactorNeeded = Extract<LoginAnswer, { mfaToken: string }>;

type SignedIn = Exclude<LoginAnswer, SecondFactorNeeded>;

export type AdminClientOptions = SessionClientOptions;

/** The calls of an admin client. */
export interface AdminCalls {
  /** All operations by method and path, sent with the account's token. */
  api: Api;
  /** Returns the user, or an `mfaToken` if the account has a second factor: pass it to `verifyTotp`. */
  signIn(credentials: Body<'/api/saas-auth/login', 'post'>): Promise<AccountUser | SecondFactorNeeded>;
  /** Ends a sign-in with the code of the second factor, or with a recovery code. */
  verifyTotp(proof: Body<'/api/saas-auth/totp/verify', 'post'>): Promise<AccountUser>;
  signUp(account: Body<'/api/saas-auth/signup', 'post'>): Promise<AccountUser>;
  /** Signs in with tokens that another operation answered with, such as an accepted invitation. */
  adopt(answer: SignedIn): Promise<AccountUser>;
  /** Reads the user again, for example after a changed name. */
  reload(): Promise<AccountUser>;
  /** Ends the session here, and on the server if it can be reached. */
  signOut(): Promise<void>;
}

/** The client of a dashboard: one account, its workspaces, and all operations that the account may use. */
export interface AdminClient extends AdminCalls, Cancellable<AdminCalls> {
  session: Session<AccountUser>;
  /** Shows notifications as they happen. */
  followNotifications(options: NotificationFeedOptions): NotificationFeed;
  /** Stops listening to the storage, for a client that is not used any more. The session stays in the storage. */
  close(): void;
}

/** Creates the client of a dashboard or a program of a studio. It keeps the account's session in the storage, and renews it. */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { sendOpen, session, send } = createSignedInClient<AccountUser>(
    'admin',
    options,
    {},
    async (open, refreshToken, idempotencyKey) => {
      const { user, ...tokens } = await open.POST('/api/saas-auth/refresh', {
        body: { refreshToken },
        params: { header: { 'idempotency-key': idempotencyKey } },
      });
      return { ...tokens, identity: user };
    },
  );

  async function adopt(answer: SignedIn): Promise<AccountUser> {
    const { user, ...tokens } = requireTokens(answer);
    await session.start(tokens, user);
    return user;
  }

  const calls = cancellable<AdminCalls>((until) => {
    const open = createApi(until(sendOpen));
    const api = createApi(until(send));
    return {
      api,
      adopt,
      signIn: async (body) => {
        const answer = await open.POST('/api/saas-auth/login', { body });
        return isSecondFactorNeeded(answer) ? answer : adopt(answer);
      },
      verifyTotp: async (body) => adopt(await open.POST('/api/saas-auth/totp/verify', { body })),
      signUp: async (body) => adopt(await open.POST('/api/saas-auth/signup', { body })),
      reload: async () => {
        const { user } = await api.GET('/api/saas-auth/me');
        await session.update(user);
        return user;
      },
      signOut: async () => {
        const refreshToken = (await session.end())?.refreshToken;
        if (refreshToken) await ignoreRefusal(open.POST('/api/saas-auth/logout', { body: { refreshToken } }));
      },
    };
  });

  return {
    ...calls,
    session,
    followNotifications: (options) => followNotifications(send, session, options),
    close: session.close,
  };
}

const isSecondFactorNeeded = (answer: LoginAnswer): answer is SecondFactorNeeded =>
  typeof answer === 'object' && 'mfaToken' in answer;
