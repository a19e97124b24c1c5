import { clientError, GuildhallError } from '../core/errors.ts';
import type { Send } from '../core/http.ts';
import type { Session } from '../core/session.ts';
import { sendBatch, type BatchResult } from './batch.ts';
import type { EventStore, QueuedEvent } from './event-store.ts';
import { waitForNetwork } from './network.ts';
import type { EventOwner, Owners } from './owners.ts';
import type { BackOff } from '../core/waiting.ts';
import { createRetryPolicy, type WaitingFor } from './retry-policy.ts';
import type { StorageSweep } from './storage-sweep.ts';

/** The part of a player client that the queue uses. */
export interface EventSender {
  /** The address of the server. Events that wait for one server are not sent to another. */
  baseUrl: string;
  send: Send;
  session: Session<EventOwner>;
}

export interface SenderState {
  isSending: boolean;
  waitingFor: WaitingFor | undefined;
  /** The last failure, until a batch succeeds. */
  error: GuildhallError | undefined;
}

/** Sends the events of a store in batches, and again after a failure. */
export interface SenderLoop {
  readonly state: Readonly<SenderState>;
  readonly isClosed: boolean;
  /** Sends now, unless it is sending or in a pause. */
  start(): void;
  /** Sends when other events had time to join the batch. */
  startSoon(): void;
  /** Sends now, and ends a pause. */
  wake(): void;
  /** Resolves if no event waits, if those that wait need a sign-in, or if the signal ends the wait. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Ends the loop after the request that is on its way. */
  close(): Promise<void>;
}

export interface SenderLoopOptions {
  batchEvents: number;
  batchBytes: number;
  batchAfterMs: number;
  backOff: BackOff;
  owners: Owners;
  sweep: StorageSweep;
  settle(batch: QueuedEvent[], result: BatchResult): Promise<void>;
  /** Called at each change of the state. */
  report(): void;
}

export function createSenderLoop(
  { send, session }: EventSender,
  store: EventStore,
  { batchEvents, batchBytes, batchAfterMs, backOff, owners, sweep, settle, report }: SenderLoopOptions,
): SenderLoop {
  const policy = createRetryPolicy(backOff);
  const state: SenderState = { isSending: false, waitingFor: undefined, error: undefined };
  let isClosed = false;
  let pausing = new AbortController();
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isClosed) return;
    running ??= run().finally(() => {
      running = undefined;
      // Events that came after the last look of the loop.
      if (store.count > 0 && state.waitingFor === undefined) startSoon();
    });
  }

  function startSoon(): void {
    timer ??= setTimeout(start, batchAfterMs);
  }

  /** Sends batches until no event waits, or until the waiting events need a sign-in. */
  async function run(): Promise<void> {
    while (!isClosed) {
      const before = session.current;
      const who = before ?? (await session.load().catch(() => undefined));
      await sweep.look(who);
      const batch = who && store.next(owners.of(who), Math.min(batchEvents, policy.mostEvents), batchBytes);
      if (batch) await sendOne(batch, who.playerId);
      else if (store.isSaving) await store.saved();
      // A player who signed in during the look may have events.
      else if (session.current?.playerId === before?.playerId) break;
    }
    // The remaining events belong to a player who is not signed in.
    state.waitingFor = store.count > 0 ? 'session' : undefined;
    report();
  }

  async function sendOne(batch: QueuedEvent[], playerId: string): Promise<void> {
    state.isSending = true;
    state.waitingFor = undefined;
    report();
    try {
      const texts = batch.map(({ json }) => json);
      const result = await sendBatch(send, batch[0]!.kind, texts, { playerId });
      policy.succeeded();
      state.error = undefined;
      await settle(batch, result);
    } catch (error) {
      state.error = asGuildhallError(error);
    }
    state.isSending = false;
    report();
    if (state.error) await waitAfter(state.error, batch.length, playerId);
  }

  async function waitAfter(error: GuildhallError, sent: number, playerId: string): Promise<void> {
    const pause = policy.failed(error, sent, store.count);
    // If the player has signed out, the events wait for the next sign-in. Those of another player who has signed in do not.
    const hasChanged = session.current?.playerId !== playerId;
    if (!pause || isClosed || (pause.reason === 'session' && hasChanged)) return;
    state.waitingFor = pause.reason;
    // A listener may end the pause.
    pausing = new AbortController();
    report();
    await waitForNetwork(pause.milliseconds, backOff.longestMs, pausing);
  }

  return {
    state,
    get isClosed() {
      return isClosed;
    },
    start,
    startSoon,
    wake: () => {
      pausing.abort();
      start();
    },
    flush: async (signal) => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end);
      try {
        do {
          start();
          await Promise.race([running, ended]);
        } while (store.count > 0 && state.waitingFor !== 'session' && !signal?.aborted && !isClosed);
      } finally {
        signal?.removeEventListener('abort', end);
      }
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      pausing.abort();
      await running;
    },
  };
}

function asGuildhallError(error: unknown): GuildhallError {
  if (error instanceof GuildhallError) return error;
  return clientError('network_error', 'The events could not be sent.', error);
}
