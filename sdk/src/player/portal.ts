import type { Answer, Api, Body } from '../core/api-types.ts';
import { cancellable, type Cancellable } from '../core/cancellation.ts';
import { createApi } from '../core/http.ts';
import type { Session } from '../core/session.ts';
import { createSignedInClient, ignoreRefusal, type SessionClientOptions } from '../core/signed-in.ts';
import { requireTokens } from '../core/stored-session.ts';
import { createOwnProfile, type OwnProfile } from './profile.ts';

/** The signed-in player of the player portal. */
export interface PortalPlayer {
  playerId: string;
}

export type PortalClientOptions = SessionClientOptions;

/** The calls of a portal client. */
export interface PortalCalls {
  /** Starts a sign-in with StoreA. Store `authUrl` in `sessionStorage`, then send the browser there. */
  startStoreA(): Promise<Answer<'/api/player-portal-auth/storea/start', 'post'>>;
  /** Ends it on the page to which the browser came back. Compares the state with the stored `authUrl` first. */
  finishStoreA(callbackUrl: string, authUrl: string): Promise<PortalPlayer>;
  sendCode(email: string): Promise<Answer<'/api/player-portal-auth/email/otc', 'post'>>;
  signInWithCode(login: Body<'/api/player-portal-auth/otc/exchange', 'post'>): Promise<PortalPlayer>;
  /** Ends the session here, and on the server if it can be reached. */
  signOut(): Promise<void>;
  profile: OwnProfile;
  /** All operations by method and path, sent with the player's token. */
  api: Api;
}

/** The client of a web page on which players manage their profile of all games, without a game key. */
export interface PortalClient extends PortalCalls, Cancellable<PortalCalls> {
  session: Session<PortalPlayer>;
  /** Stops listening to the storage, for a client that is not used any more. The session stays in the storage. */
  close(): void;
}

/** Creates the client of a player portal. It keeps the player's session in the storage, and renews it. */
export function createPortalClient(options: PortalClientOptions): PortalClient {
  const { sendOpen, session, send } = createSignedInClient<PortalPlayer>(
    'portal',
    options,
    {},
    (open, refreshToken, idempotencyKey) =>
      open.POST('/api/player-portal-auth/refresh', {
        body: { refreshToken },
        params: { header: { 'idempotency-key': idempotencyKey } },
      }),
  );

  async function start(
    result: Answer<'/api/player-portal-auth/otc/exchange', 'post'>,
  ): Promise<PortalPlayer> {
    const { playerId } = requireTokens(result);
    await session.start(result, { playerId });
    return { playerId };
  }

  const calls = cancellable<PortalCalls>((until) => {
    const open = createApi(until(sendOpen));
    const api = createApi(until(send));
    return {
      startStoreA: () => open.POST('/api/player-portal-auth/storea/start'),
      finishStoreA: async (callbackUrl, authUrl) => {
        const state = parameterOf(parameterOf(authUrl, 'openid.return_to'), 'state');
        // Otherwise a link of somebody else could sign this player in as somebody else.
        if (!state || parameterOf(callbackUrl, 'state') !== state)
          throw new Error('This sign-in was not started on this page. Start again.');
        return start(await open.POST('/api/player-portal-auth/storea/exchange', { body: { callbackUrl } }));
      },
      sendCode: (email) => open.POST('/api/player-portal-auth/email/otc', { body: { email } }),
      signInWithCode: async (body) =>
        start(await open.POST('/api/player-portal-auth/otc/exchange', { body })),
      signOut: async () => {
        const refreshToken = (await session.end())?.refreshToken;
        if (refreshToken)
          await ignoreRefusal(open.POST('/api/player-portal-auth/logout', { body: { refreshToken } }));
      },
      profile: createOwnProfile(api, open),
      api,
    };
  });

  return { ...calls, session, close: session.close };
}

function parameterOf(url: string | null | undefined, name: string): string | null {
  return url && URL.canParse(url) ? new URL(url).searchParams.get(name) : null;
}
