import type { Answer, Api, Body } from '../core/api-types.ts';
import { cancellable, type Cancellable } from '../core/cancellation.ts';
import { GuildhallError } from '../core/errors.ts';
import {
  apiKeyHeader,
  createApi,
  createSend,
  gameKeyHeader,
  type HttpOptions,
  type Send,
} from '../core/http.ts';
import { createMatches, type Matches } from '../core/matches.ts';
import { idempotencyHeader, withRetries, type Idempotent, type RetryOptions } from '../core/retries.ts';
import { refreshHttp, refreshRetries } from '../core/refresh.ts';
import {
  sendBatch,
  writeEvent,
  type BatchResult,
  type EventDescription,
  type EventKind,
} from '../events/batch.ts';

export interface ServerClientOptions extends HttpOptions {
  gameKey: string;
  /** Needed to look up many players at once. */
  apiKey?: string | undefined;
  retries?: RetryOptions | undefined;
}

export interface Players {
  /**
   * Returns the player of an access token that a game client sent. Throws `invalid_bearer` for a token of another game and for anything that
   * is no token, and `session_ended`, `player_inactive` or `player_banned` if the player must not play any more.
   */
  verify(accessToken: string): Promise<Answer<'/api/game/player', 'get'>>;
  get(playerId: string): Promise<Answer<'/api/player-profiles/{playerId}', 'get'>>;
  /** Looks up at most 100 players with the API key. */
  getMany(playerIds: string[]): Promise<Answer<'/api/player-profiles/bulk', 'post'>>;
  /** Finds a player by the id at a provider. Throws `player_not_found`. */
  find(identity: Body<'/api/player-auth/players/exists', 'post'>): Promise<string>;
}

export interface Assertions {
  /** Asks the server whether an assertion is valid. Its audience must be named. Throws `invalid_bearer` for anything that is no token. */
  validate(assertion: string, audience?: string): Promise<Answer<'/api/player-auth/jwt/validate', 'post'>>;
  /** Exchanges the refresh token of a third party for the next assertion and the next refresh token. */
  exchange(
    refreshToken: string,
    audience: string,
    options?: Idempotent,
  ): Promise<Answer<'/api/player-auth/jwt/exchange', 'post'>>;
}

type NamedEvent = EventDescription & {
  loginSessionId?: string | undefined;
  idempotencyKey: string;
  occurredAt: Date | string;
};

/** An event of a match. Its name makes it safe to send the same batch again. */
export type MatchEvent = NamedEvent & {
  matchSessionId: string;
  matchPlayerId: string;
};

export type PlayerEvent = NamedEvent & {
  playerId: string;
};

/** The calls of a game server. */
export interface ServerCalls {
  matches: Matches;
  players: Players;
  assertions: Assertions;
  /** Signs a player in for the game server, which keeps the tokens itself. Each sign-in starts a session, so it is sent once. */
  signIn(login: Body<'/api/player-auth/login', 'post'>): Promise<Answer<'/api/player-auth/login', 'post'>>;
  /**
   * Renews the tokens of a `signIn` of this game server. Repeats the request until its answer arrives. If it is still lost, call again
   * with the same `idempotencyKey` within 60 seconds.
   */
  refresh(refreshToken: string, options?: Idempotent): Promise<Answer<'/api/player-auth/refresh', 'post'>>;
  /** Sends events of the player whose access token it is. Splits a batch that is too large. */
  sendMatchEvents(accessToken: string, events: readonly MatchEvent[]): Promise<BatchResult>;
  sendPlayerEvents(accessToken: string, events: readonly PlayerEvent[]): Promise<BatchResult>;
  /** All operations by method and path, sent with the game key and never again. */
  api: Api;
}

/** The client of a game server: it acts for all players of its tenant. */
export type ServerClient = ServerCalls & Cancellable<ServerCalls>;

/** Creates the client of a game server. It keeps no session, and repeats requests that are safe to repeat. */
export function createServerClient(options: ServerClientOptions): ServerClient {
  // A program without types may pass none. The missing key is then named.
  const { gameKey, apiKey, retries, ...http } = options ?? {};
  const key = gameKeyHeader(gameKey);
  const withApiKey = apiKey === undefined ? undefined : apiKeyHeader(apiKey);
  const sendWith = (headers: Record<string, string>, limits = http): Send =>
    createSend(limits, { headers: async () => headers });
  const send = sendWith(key);
  return cancellable<ServerCalls>((until) => {
    const repeat = (once: Send): Send => until(withRetries(once, retries));
    const api = createApi(until(send));
    const repeated = createApi(repeat(send));
    /** Repeats a request that uses a refresh token up. */
    const refreshing = (headers: Record<string, string>): Api =>
      createApi(until(withRetries(sendWith(headers, refreshHttp(http)), refreshRetries(retries))));
    const bearer = (token: string) => ({ ...key, authorization: `Bearer ${token}` });
    const sendAs = (token: string): Send => repeat(sendWith(bearer(requireBearer(token))));

    const sendEvents = (kind: EventKind) => async (accessToken: string, events: readonly NamedEvent[]) => {
      const sendAsPlayer = sendAs(requireToken(accessToken));
      if (!Array.isArray(events)) throw new TypeError('The events must be an array.');
      const texts = events.map((event, index) => writeEvent(event, `events[${index}].value`));
      return sendBatch(sendAsPlayer, kind, texts);
    };

    return {
      matches: createMatches(repeated),
      players: {
        verify: async (accessToken) => createApi(sendAs(accessToken)).GET('/api/game/player'),
        get: (playerId) =>
          repeated.GET('/api/player-profiles/{playerId}', { params: { path: { playerId } } }),
        getMany: async (playerIds) => {
          if (!withApiKey)
            throw new TypeError('getMany needs an API key. Pass apiKey to createServerClient.');
          const { POST } = createApi(repeat(sendWith(withApiKey)));
          return POST('/api/player-profiles/bulk', { body: { playerIds } });
        },
        find: async (body) => (await repeated.POST('/api/player-auth/players/exists', { body })).playerId,
      },
      assertions: {
        validate: async (assertion, audience) =>
          createApi(sendAs(assertion)).POST('/api/player-auth/jwt/validate', { body: { audience } }),
        exchange: async (refreshToken, audience, options) =>
          refreshing(bearer(requireToken(refreshToken))).POST('/api/player-auth/jwt/exchange', {
            body: { audience },
            params: { header: idempotencyHeader(options) },
          }),
      },
      signIn: (body) => api.POST('/api/player-auth/login', { body }),
      refresh: (refreshToken, options) =>
        refreshing(key).POST('/api/player-auth/refresh', {
          body: { refreshToken },
          params: { header: idempotencyHeader(options) },
        }),
      sendMatchEvents: sendEvents('match'),
      sendPlayerEvents: sendEvents('player'),
      api,
    };
  });
}

function requireToken(token: string): string {
  if (!token) throw new TypeError('The token is missing.');
  return token;
}

/** Throws the error of the server if this cannot be sent as a token. A stranger chose it, so it is no mistake of the program. */
function requireBearer(token: unknown): string {
  if (typeof token === 'string' && /^[!-~]{1,8192}$/.test(token)) return token;
  const detail = 'The token is not valid: it must have 1 to 8,192 visible ASCII characters.';
  throw new GuildhallError({ code: 'invalid_bearer', status: 401, detail });
}
