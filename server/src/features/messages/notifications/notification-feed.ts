import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import type { AccountCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findPosition, lastPosition, listAfter, type Notification } from './queries.ts';

/** Streams that one account may have open in one process: a dashboard in so many windows. */
const STREAMS_OF_ACCOUNT = 10;

/** Notifications that are read at once, by a stream that has some to catch up with. */
const PAGE = 50;

/** Why a stream ended. */
export type StreamEnd = 'token_expired' | 'session_ended' | 'server_stopping' | 'unavailable';

/** What an account is told, as it comes, and in the end why there is no more. */
export interface NotificationStream {
  items: AsyncIterable<Notification | { ended: StreamEnd }>;
  /** For whoever has read enough. Takes effect at once. */
  close(): void;
}

export interface NotificationFeed {
  /**
   * Opens a stream that begins after the notification `lastSeen`, or with what comes from now on; after one that is not there
   * (any more) it begins with the oldest that is. It ends with the caller's token or session. Throws too_many_streams, and
   * invalid_bearer for a session that has ended.
   */
  open(caller: AccountCaller, lastSeen: string | undefined): Promise<NotificationStream>;
  /** Ends all streams, and every one that is opened from now on. */
  close(): void;
}

export interface FeedServices {
  database: Database;
  changes: ChangeFeed;
  /** Those of some sessions of dashboard accounts that were ended by logout, or by the reuse of a refresh token. */
  endedSessions(sessionIds: string[]): Promise<string[]>;
}

/** Streams of notifications: all of a process share the one connection that listens for changes. */
export function openNotificationFeed({ database, changes, endedSessions }: FeedServices): NotificationFeed {
  const open = new Set<OpenStream>();
  let closed = false;

  const endStreams = (sessionIds: string[]): void => {
    for (const stream of open) if (sessionIds.includes(stream.sessionId)) stream.end('session_ended');
  };
  changes.on('notifications', (accountId) => {
    for (const stream of open) if (!accountId || stream.accountId === accountId) stream.bell.ring();
  });
  changes.on('account_sessions', (sessionId) => {
    if (sessionId) return endStreams([sessionId]);
    // Some may have ended while nobody told us. If we cannot learn of it now: tokens expire within minutes.
    const sessionIds = [...open].map((stream) => stream.sessionId);
    if (sessionIds.length > 0) endedSessions(sessionIds).then(endStreams, () => {});
  });

  return {
    async open(caller, lastSeen) {
      const others = [...open].filter(({ accountId }) => accountId === caller.accountId);
      if (others.length >= STREAMS_OF_ACCOUNT)
        throw new ProblemError('too_many_streams', { headers: { 'retry-after': '30' } });
      const stream = openStream(caller);
      open.add(stream);
      const close = (): void => {
        stream.end();
        open.delete(stream);
      };
      try {
        // After it was added: what ends or comes from here on reaches it.
        if ((await endedSessions([caller.sessionId])).length > 0) throw new ProblemError('invalid_bearer');
        const position = await startOf(database, caller.accountId, lastSeen);
        if (closed) stream.end('server_stopping');
        return { items: follow(database, stream, position), close };
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
  /** Rings when there may be something to send. */
  bell: Bell;
  ended: StreamEnd | true | undefined;
  /** Ends it for a reason, or because nobody reads it any more. The first end counts. */
  end(reason?: StreamEnd): void;
}

function openStream({ accountId, sessionId, expiresAtMs }: AccountCaller): OpenStream {
  const bell = openBell();
  const stream: OpenStream = {
    accountId,
    sessionId,
    bell,
    ended: undefined,
    end(reason) {
      clearTimeout(expiry);
      stream.ended ??= reason ?? true;
      bell.ring();
    },
  };
  const expiry = setTimeout(() => stream.end('token_expired'), expiresAtMs - Date.now()).unref();
  return stream;
}

async function startOf(database: Database, accountId: string, lastSeen: string | undefined): Promise<number> {
  if (lastSeen === undefined) return lastPosition(database.forAccount(accountId), accountId);
  return (await findPosition(database.forAccount(accountId), accountId, lastSeen)) ?? 0;
}

async function* follow(
  database: Database,
  stream: OpenStream,
  start: number,
): AsyncGenerator<Notification | { ended: StreamEnd }> {
  let last = start;
  while (!stream.ended) {
    const page = await listAfter(database.forAccount(stream.accountId), stream.accountId, last, PAGE).catch(
      () => undefined,
    );
    if (!page) stream.end('unavailable');
    for (const { position, ...notification } of page ?? []) {
      if (stream.ended) break;
      yield notification;
      last = position;
    }
    if (page && page.length < PAGE) await stream.bell.rung();
  }
  if (stream.ended !== true) yield { ended: stream.ended };
}

/** Something to wait for. Rung while nobody waits, it is heard by the next who does. */
interface Bell {
  ring(): void;
  rung(): Promise<void>;
}

function openBell(): Bell {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    ring: () => resolve(),
    async rung() {
      await promise;
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
