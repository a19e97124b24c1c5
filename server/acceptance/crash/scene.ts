import type { Sent } from '../audit-history.ts';
import { call, type Answer, type RequestParts } from '../http.ts';
import type { ServerProcess } from '../server-process.ts';

/** The data that the clients of a round share. */
export interface Scene {
  server: ServerProcess;
  tenant: string;
  gameKey: string;
  player: { playerId: string; accessToken: string };
  /** The records of all clients of all rounds. */
  sent: Sent[];
  over: AbortSignal;
}

/** Sends a request with the game key. Undefined if no whole response arrives. */
export const post = (
  { server, gameKey }: Scene,
  path: string,
  parts: RequestParts,
): Promise<Answer | undefined> =>
  call('POST', server.url + path, { ...parts, gameKey }).catch(() => undefined);
