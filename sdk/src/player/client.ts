import type { Answer, Api } from '../core/api-types.ts';
import { cancellable, type Cancellable } from '../core/cancellation.ts';
import { GuildhallError } from '../core/errors.ts';
import { baseOf, createApi, gameKeyHeader, type Send } from '../core/http.ts';
import { createMatches, type Matches } from '../core/matches.ts';
import { withRetries } from '../core/retries.ts';
import type { Session } from '../core/session.ts';
import { createSignedInClient, ignoreRefusal, type SessionClientOptions } from '../core/signed-in.ts';
import { isFresh, refreshKeyOf, requireTokens, type Stored } from '../core/stored-session.ts';
import { createOwnProfile, type OwnProfile } from './profile.ts';
import { createSignIn, type LoginResult, type SignIn } from './sign-in.ts';

/** The signed-in player of a game. */
export interface Player {
  playerId: string;
  tenantId: string;
  /** The login session. */
  sessionId: string;
}

export interface PlayerSession extends Session<Player> {
  /**
   * The player's access token, for your game server, or undefined if nobody is signed in. It is renewed first if it expires within
   * 30 seconds.
   */
  accessToken(): Promise<string | undefined>;
}

export interface PlayerClientOptions extends SessionClientOptions {
  gameKey: string;
}

/** The calls of a game client. */
export interface PlayerCalls {
  signIn: SignIn;
  /** Ends the session here, and on the server if it can be reached. */
  signOut(): Promise<void>;
  profile: OwnProfile;
  /** Matches of this player. The server refuses requests that act for others. */
  matches: Matches;
  /** The part of a player's profile that this game may see. */
  getPlayer(playerId: string): Promise<Answer<'/api/player-profiles/{playerId}', 'get'>>;
  /** The public profile of a player. */
  getPublicPlayer(playerId: string): Promise<Answer<'/api/public/player-profiles/{playerId}', 'get'>>;
  /** Makes an assertion, which tells a third party who the player is. */
  createAssertion(
    audience: string,
    options?: { includeRefreshToken?: boolean | undefined },
  ): Promise<Answer<'/api/player-auth/jwt/exchange', 'post'>>;
  /** All operations by method and path, sent with the game key and the player's token. */
  api: Api;
}

/** The client of a game: one player at a time. */
export interface PlayerClient extends PlayerCalls, Cancellable<PlayerCalls> {
  /** The address of the server. */
  baseUrl: string;
  session: PlayerSession;
  /** Sends any request with the game key and the player's token. */
  send: Send;
  /** Stops listening to the storage, for a client that is not used any more. The session stays in the storage. */
  close(): void;
}

/** Creates the client of a game. It keeps the player's session in the storage, and renews it. */
export function createPlayerClient(options: PlayerClientOptions): PlayerClient {
  // A program without types may pass none. The missing key is then named.
  const { gameKey, ...sessionOptions } = options ?? {};
  const { sendOpen, session, send } = createSignedInClient<Player>(
    'player',
    sessionOptions,
    gameKeyHeader(gameKey),
    refresh,
  );

  const calls = cancellable<PlayerCalls>((until) => {
    const open = createApi(until(sendOpen));
    const api = createApi(until(send));
    return {
      signIn: createSignIn(open, api, async (result: LoginResult) => {
        const { playerId, tenantId, sessionId } = requireTokens(result);
        await session.start(result, { playerId, tenantId, sessionId });
        return result;
      }),
      signOut: async () => {
        const ended = await session.end();
        // Another program may have written something else into the storage.
        if (ended?.identity) await ignoreRefusal(endOnServer(open, ended));
      },
      profile: createOwnProfile(api, open),
      matches: createMatches(createApi(until(withRetries(send)))),
      getPlayer: (playerId) =>
        open.GET('/api/player-profiles/{playerId}', { params: { path: { playerId } } }),
      getPublicPlayer: (playerId) =>
        open.GET('/api/public/player-profiles/{playerId}', { params: { path: { playerId } } }),
      createAssertion: (audience, options) =>
        api.POST('/api/player-auth/jwt/exchange', { body: { audience, ...options } }),
      api,
    };
  });

  return { ...calls, baseUrl: baseOf(options.baseUrl), session, send, close: session.close };
}

const refresh = (open: Api, refreshToken: string, idempotencyKey: string) =>
  open.POST('/api/player-auth/refresh', {
    body: { refreshToken },
    params: { header: { 'idempotency-key': idempotencyKey } },
  });

/** Ends a session that has ended here. The game key may require the access token (`requirePlayerToken`), which may have expired. */
async function endOnServer(open: Api, ended: Stored<Player>): Promise<unknown> {
  const logOut = (accessToken: string | undefined) =>
    open.POST('/api/player-auth/logout', {
      body: { sessionId: ended.identity.sessionId },
      ...(accessToken !== undefined && { headers: { authorization: `Bearer ${accessToken}` } }),
    });
  try {
    return await logOut(isFresh(ended) ? ended.accessToken : undefined);
  } catch (error) {
    if (!(error instanceof GuildhallError) || !['missing_bearer', 'invalid_bearer'].includes(error.code))
      throw error;
    const { accessToken } = requireTokens(await refresh(open, ended.refreshToken, refreshKeyOf(ended)));
    return logOut(accessToken);
  }
}
