import { GuildhallError } from './client';

/** The code of a page could not be loaded, because the server does not answer. */
export class ServerAwayError extends TypeError {}

/** The server answers, but no longer has the code of a page: a new version was installed after this one was loaded. */
export class OldVersionError extends TypeError {}

/** Between the retries are 1, 2, 4, 8 and 16 seconds. A restart of a server takes less. */
export const RESTART_RETRIES = 5;

/** How often to ask whether a server that did not answer is back. */
const ASK_EVERY_MS = 5_000;

/** Whether a request failed because the server or its database does not answer. A proxy before it then answers with 502, 503 or 504. */
export const isServerAway = (error: unknown): boolean =>
  error instanceof ServerAwayError ||
  (error instanceof GuildhallError &&
    (error.code === 'network_error' ||
      error.code === 'unavailable' ||
      (error.code === 'unexpected_answer' && error.status >= 502)));

/** Whether the server that the console came from answers. */
export async function doesServerAnswer(): Promise<boolean> {
  const answer = await fetch('/', { method: 'HEAD' }).catch(() => undefined);
  return answer?.ok ?? false;
}

/** Calls `onAnswer` every 5 seconds if the server answers. Returns what ends this. */
export function whileServerAnswers(onAnswer: () => void): () => void {
  const ask = async (): Promise<void> => {
    if (await doesServerAnswer()) onAnswer();
  };
  const timer = setInterval(() => void ask(), ASK_EVERY_MS);
  return () => clearInterval(timer);
}
