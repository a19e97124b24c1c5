import type { Answer } from '../core/api-types.ts';
import { GuildhallError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import type { Send } from '../core/http.ts';
import { callListener } from '../core/listeners.ts';
import type { OwnSession } from '../core/session.ts';
import { pauseAfter, wait, withJitter } from '../core/waiting.ts';
import { readServerSentEvents } from './server-sent-events.ts';

export type Notification = Answer<'/api/notifications', 'get'>['items'][number];

export interface NotificationFeedOptions {
  onNotification(notification: Notification): void;
  /** The id of the newest notification that you have. Without it, the feed begins with the next one. */
  after?: string | undefined;
  /** Called when the feed connects, and when it waits before it connects again. */
  onState?: ((state: 'connected' | 'waiting' | 'closed') => void) | undefined;
}

/**
 * Follows notifications until it is closed or nobody is signed in any more. If another account signs in, the feed begins with the next
 * notification of that account.
 */
export interface NotificationFeed {
  close(): void;
}

/** The server sends a comment every 20 seconds. After this time without anything the connection is dead. */
const SILENCE_MS = 60_000;
/** No notification has this id. After an unknown one, the server begins with the oldest. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const BACK_OFF = { firstMs: 1_000, longestMs: 30_000 };

/** Follows the notifications of an account, over broken connections and without gaps. */
export function followNotifications(
  send: Send,
  session: Pick<OwnSession<{ id: string }>, 'current' | 'accessToken' | 'renew'>,
  { onNotification, after, onState = () => {} }: NotificationFeedOptions,
): NotificationFeed {
  const closing = new AbortController();
  let lastId = after;
  /** The account that has the notification `lastId`. */
  let accountId = session.current?.id;

  /** The newest notification, so that a connection that breaks before its first one leaves no gap. */
  async function readNewestId(): Promise<string> {
    const { items } = (await send('GET', '/api/notifications', {
      params: { query: { limit: 1 } },
      signal: closing.signal,
    })) as Answer<'/api/notifications', 'get'>;
    return items[0]?.id ?? BEFORE_ALL;
  }

  /** Reads one connection to its end. */
  async function readStream(onConnected: () => void): Promise<void> {
    const stalled = new AbortController();
    let timer = setTimeout(() => stalled.abort(), SILENCE_MS);
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), SILENCE_MS);
    };
    try {
      lastId ??= await readNewestId();
      const response = (await send('GET', '/api/notifications/stream', {
        readAs: 'response',
        signal: AbortSignal.any([closing.signal, stalled.signal]),
        params: { header: { 'last-event-id': lastId } },
      })) as Response;
      onConnected();
      for await (const { id, event, data } of readServerSentEvents(response.body!, onBytes)) {
        if (id) lastId = id;
        if (event === 'notification') callListener(onNotification, parseJson(data) as Notification);
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
        const id = session.current?.id;
        if (accountId !== undefined && id !== accountId) lastId = undefined;
        accountId = id;
        await readStream(() => {
          failures = 0;
          callListener(onState, 'connected');
        });
        pause = withJitter(BACK_OFF.firstMs);
      } catch (error) {
        if (error instanceof GuildhallError && error.status === 400 && lastId) lastId = undefined;
        pause = pauseAfter(error instanceof GuildhallError ? error : {}, failures++, BACK_OFF);
      }
      if (closing.signal.aborted) break;
      callListener(onState, 'waiting');
      await wait(pause, closing.signal);
    }
    callListener(onState, 'closed');
  }

  void follow();
  return { close: () => closing.abort() };
}
