import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import type { AccountCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { AcquireSlots } from '../../../processes/concurrency-slots.ts';
import { findPosition, lastPosition, listAfter, type Notification } from './queries.ts';

/** Open streams per account and server. Each console window uses one. */
const MAX_STREAMS_PER_ACCOUNT = 10;

/** Notifications per query. */
const PAGE_SIZE = 50;

/** The reason why a stream ended. */
type StreamEnd = 'token_expired' | 'session_ended' | 'server_stopping' | 'unavailable';

/** The notifications of an account as they are committed, then the reason for the end. */
export interface NotificationStream {
  items: AsyncIterable<Notification | { ended: StreamEnd }>;
  /** Ends the stream at once, when the reader stops. */
  close(): void;
}

export interface NotificationFeed {
  /**
   * Opens a stream that begins after the notification `lastSeen`. Without `lastSeen`, it begins with the next notification. If
   * `lastSeen` is unknown, it begins with the oldest stored notification. The stream ends when the caller's token expires or
   * the session ends. Throws `too_many_streams`, and `invalid_bearer` if the session has ended.
   */
  open(caller: AccountCaller, lastSeen: string | undefined): Promise<NotificationStream>;
  /** Ends all streams. Streams that are opened later end at once. */
  close(): void;
}

export interface FeedServices {
  database: Database;
  changes: ChangeFeed;
  acquireSlots: AcquireSlots;
  /** Returns the account sessions that have ended by logout or by reuse of a refresh token. */
  endedSessions(sessionIds: string[]): Promise<string[]>;
}

/** Opens a feed of notifications. All streams of a process share one listening connection to the database. */
export function openNotificationFeed({
  database,
  changes,
  acquireSlots,
  endedSessions,
}: FeedServices): NotificationFeed {
  const open = new Set<OpenStream>();
  let closed = false;

  const endStreams = (sessionIds: string[]): void => {
    for (const stream of open) if (sessionIds.includes(stream.sessionId)) stream.end('session_ended');
  };
  changes.on('notifications', (accountId) => {
    for (const stream of open) if (!accountId || stream.accountId === accountId) stream.wakeUp.set();
  });
  changes.on('account_sessions', (sessionId) => {
    if (sessionId) return endStreams([sessionId]);
    // After a gap in the change feed, some sessions may have ended. If the query fails, the streams end with their tokens,
    // within minutes.
    const sessionIds = [...open].map((stream) => stream.sessionId);
    if (sessionIds.length > 0) endedSessions(sessionIds).then(endStreams, () => {});
  });

  return {
    async open(caller, lastSeen) {
      const release = await acquireSlots([
        { owner: `notification streams ${caller.accountId}`, limit: MAX_STREAMS_PER_ACCOUNT },
      ]);
      if (typeof release === 'number') throw new ProblemError('too_many_streams', { retryAfter: 30 });
      const stream = createStream(caller);
      open.add(stream);
      const close = (): void => {
        stream.end();
        if (open.delete(stream)) release();
      };
      try {
        // The checks follow after the stream was added, so that it misses no later end of a session and no notification.
        if ((await endedSessions([caller.sessionId])).length > 0) throw new ProblemError('invalid_bearer');
        const position = await findStart(database, caller.accountId, lastSeen);
        if (closed) stream.end('server_stopping');
        return { items: readStream(database, stream, position), close };
      } catch (error) {
        close();
        throw error;
      }
    },
    close() {
      closed = true;
      for (const stream of open) stream.end('server_stopping');
    },
  };
}

interface OpenStream {
  accountId: string;
  sessionId: string;
  /** Set when there may be something to send. */
  wakeUp: Signal;
  ended: StreamEnd | true | undefined;
  /** Ends the stream: with a reason, or without one if the reader has stopped. Later calls have no effect. */
  end(reason?: StreamEnd): void;
}

function createStream({ accountId, sessionId, expiresAtMs }: AccountCaller): OpenStream {
  const wakeUp = createSignal();
  const stream: OpenStream = {
    accountId,
    sessionId,
    wakeUp,
    ended: undefined,
    end(reason) {
      clearTimeout(expiry);
      stream.ended ??= reason ?? true;
      wakeUp.set();
    },
  };
  const expiry = setTimeout(() => stream.end('token_expired'), expiresAtMs - Date.now()).unref();
  return stream;
}

async function findStart(
  database: Database,
  accountId: string,
  lastSeen: string | undefined,
): Promise<number> {
  if (lastSeen === undefined) return lastPosition(database.forAccount(accountId), accountId);
  return (await findPosition(database.forAccount(accountId), accountId, lastSeen)) ?? 0;
}

async function* readStream(
  database: Database,
  stream: OpenStream,
  start: number,
): AsyncGenerator<Notification | { ended: StreamEnd }> {
  let last = start;
  while (!stream.ended) {
    const page = await listAfter(
      database.forAccount(stream.accountId),
      stream.accountId,
      last,
      PAGE_SIZE,
    ).catch(() => undefined);
    if (!page) stream.end('unavailable');
    for (const { position, ...notification } of page ?? []) {
      if (stream.ended) break;
      yield notification;
      last = position;
    }
    if (page && page.length < PAGE_SIZE) await stream.wakeUp.wait();
  }
  if (stream.ended !== true) yield { ended: stream.ended };
}

/** An auto-reset signal: `wait` resolves after the next `set`, or at once if `set` was called since the last `wait`. */
interface Signal {
  set(): void;
  wait(): Promise<void>;
}

function createSignal(): Signal {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    set: () => resolve(),
    async wait() {
      await promise;
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
