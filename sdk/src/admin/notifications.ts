import type { Answer } from '../core/api-types.ts';
import { GuildhallError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import type { Send } from '../core/http.ts';
import type { OwnSession } from '../core/session.ts';
import { LONGEST_ASKED_MS, wait } from '../core/waiting.ts';
import { readServerSentEvents } from './server-sent-events.ts';

export type Notification = Answer<'/api/notifications', 'get'>['items'][number];

export interface NotificationFeedOptions {
  onNotification(notification: Notification): void;
  /** The id of the newest notification that you have. Without it the feed begins with the next one. */
  after?: string | undefined;
  /** Called when the feed connects, and when it waits before it connects again. */
  onState?(state: 'connected' | 'waiting' | 'closed'): void;
}

/** Follows notifications until it is closed or nobody is signed in any more. */
export interface NotificationFeed {
  close(): void;
}

/** The server sends a comment every 20 seconds. After this time without anything the connection is dead. */
const SILENCE_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Follows the notifications of an account, over broken connections and without gaps. */
export function followNotifications(
  send: Send,
  session: Pick<OwnSession<unknown>, 'accessToken' | 'renew'>,
  { onNotification, after, onState = () => {} }: NotificationFeedOptions,
): NotificationFeed {
  const closing = new AbortController();
  let lastId = after;

  /** Reads one connection to its end. */
  async function readStream(onConnected: () => void): Promise<void> {
    const stalled = new AbortController();
    let timer = setTimeout(() => stalled.abort(), SILENCE_MS);
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), SILENCE_MS);
    };
    try {
      const response = (await send('GET', '/api/notifications/stream', {
        readAs: 'response',
        signal: AbortSignal.any([closing.signal, stalled.signal]),
        params: { header: { 'last-event-id': lastId } },
      })) as Response;
      onConnected();
      for await (const { id, event, data } of readServerSentEvents(response.body!, onBytes)) {
        if (id) lastId = id;
        if (event === 'notification') onNotification(parseJson(data) as Notification);
        if (event === 'end') return await renewIfNeeded((parseJson(data) as { reason?: string }).reason);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** After the end of the session the server refuses the refresh too. That notifies the listeners of the session. */
  async function renewIfNeeded(reason: string | undefined): Promise<void> {
    if (reason === 'session_ended' || reason === 'token_expired')
      await session.renew(await session.accessToken());
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted;) {
      let pause = 0;
      try {
        if ((await session.accessToken()) === undefined) break;
        await readStream(() => {
          failures = 0;
          onState('connected');
        });
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (error instanceof GuildhallError && error.status === 400 && lastId) lastId = undefined;
        pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
        const { retryAfter = 0 } = error instanceof GuildhallError ? error : {};
        pause = Math.max(pause * (0.5 + Math.random() / 2), Math.min(retryAfter * 1000, LONGEST_ASKED_MS));
      }
      if (closing.signal.aborted) break;
      onState('waiting');
      await wait(pause, closing.signal);
    }
    onState('closed');
  }

  void follow();
  return { close: () => closing.abort() };
}
