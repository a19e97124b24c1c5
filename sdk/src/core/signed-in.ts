import type { Api } from './api-types.ts';
import { GuildhallError } from './errors.ts';
import { baseOf, createApi, createSend, type HttpOptions, type Send } from './http.ts';
import { memoryStorage } from '../storage/memory.ts';
import { refreshHttp } from './refresh.ts';
import { createSession, type OwnSession } from './session.ts';
import type { Tokens } from './stored-session.ts';
import { requireStorage, type ClientStorage } from './storage.ts';

/** The requests of a client with a session. */
export interface SignedInClient<Identity> {
  /** Sends requests without the session, such as sign-ins. */
  sendOpen: Send;
  session: OwnSession<Identity>;
  /** Sends requests with the access token, if somebody is signed in. */
  send: Send;
}

/** The options of a client with a session. */
export interface SessionClientOptions extends HttpOptions {
  /** The storage of the session. Without one, the session ends with the program. */
  storage?: ClientStorage | undefined;
  /**
   * The key of the session in the storage. By default it is made from the address of the server and the game key, because several games
   * can share an origin.
   */
  storageKey?: string | undefined;
}

/** Connects a session with the requests that it authorizes, and that renew it. The header of the key is sent with each of them. */
export function createSignedInClient<Identity>(
  name: 'player' | 'portal' | 'admin',
  options: SessionClientOptions,
  keyHeader: Record<string, string>,
  refresh: (
    open: Api,
    refreshToken: string,
    idempotencyKey: string,
  ) => Promise<Tokens & { identity?: Identity }>,
): SignedInClient<Identity> {
  // A program without types may pass none. The missing address is then named.
  const { storage = memoryStorage(), storageKey, ...http } = options ?? {};
  const credential = { headers: async () => keyHeader };
  const sendOpen = createSend(http, credential);
  const refreshing = createApi(createSend(refreshHttp(http), credential));
  const session = createSession<Identity>({
    storage: requireStorage(storage),
    key: storageKey ?? [`guildhall.${name}`, baseOf(http.baseUrl), ...Object.values(keyHeader)].join(' '),
    refresh: (...tokens) => refresh(refreshing, ...tokens),
  });
  const send = createSend(http, {
    headers: async ({ playerId }) => {
      const token = await session.accessToken();
      const who = session.current as { playerId?: string } | undefined;
      if (playerId !== undefined && who?.playerId !== playerId)
        throw new GuildhallError({
          code: 'not_signed_in',
          status: 401,
          detail: 'The player is not signed in any more.',
        });
      return token === undefined ? keyHeader : { ...keyHeader, authorization: `Bearer ${token}` };
    },
    renew: async ({ authorization }) =>
      (await session.renew(authorization?.slice('Bearer '.length))) !== undefined,
  });
  return { sendOpen, session, send };
}

/** Waits for a sign-out on the server. If it fails, the session there ends at the latest when its refresh token expires. */
export async function ignoreRefusal(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof GuildhallError)) throw error;
  });
}
