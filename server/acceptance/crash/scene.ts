import type { Sent } from '../audit-history.ts';
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

/** Sends a request. Undefined if no whole response arrives. */
export async function post(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> } | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

/** Sends a request with the game key. */
export const postWithGameKey = (
  { server, gameKey }: Pick<Scene, 'server' | 'gameKey'>,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): ReturnType<typeof post> => post(server.url + path, body, { 'x-game-key': gameKey, ...headers });
