import type { Send } from '../core/http.ts';
import { bodyOf, sendBatch, type BatchResult, type EventKind } from './batch.ts';
import type { QueuedEvent } from './event-store.ts';

/** All requests of a page that outlive it share 64 KiB. */
const MOST_BYTES = 60 * 1024;
let bytesInFlight = 0;

/** Sends the waiting events when the page is hidden, because a hidden page may end without notice. Returns a function that ends this. */
export function sendOnPageHide(
  send: Send,
  queue: {
    choose(kind: EventKind, mostBytes: number): { playerId: string; batch: QueuedEvent[] } | undefined;
    settle(batch: QueuedEvent[], result: BatchResult): Promise<void>;
  },
): () => void {
  if (typeof document === 'undefined') return () => {};
  /** A page that is left is hidden first: what is on its way already is not sent twice. */
  const leaving = new Set<string>();

  async function sendLast(kind: EventKind): Promise<void> {
    const chosen = queue.choose(kind, MOST_BYTES - bytesInFlight);
    const batch = chosen?.batch.filter(({ key }) => !leaving.has(key)) ?? [];
    if (batch.length === 0) return;
    const texts = batch.map(({ json }) => json);
    const size = new TextEncoder().encode(bodyOf(texts)).length;
    for (const { key } of batch) leaving.add(key);
    bytesInFlight += size;
    try {
      const options = { playerId: chosen!.playerId, keepalive: true };
      await queue.settle(batch, await sendBatch(send, kind, texts, options));
    } catch {
      // The events still wait.
    } finally {
      for (const { key } of batch) leaving.delete(key);
      bytesInFlight -= size;
    }
  }

  const onHide = () => {
    if (document.visibilityState === 'hidden') void Promise.all([sendLast('player'), sendLast('match')]);
  };
  addEventListener('pagehide', onHide);
  document.addEventListener('visibilitychange', onHide);
  return () => {
    removeEventListener('pagehide', onHide);
    document.removeEventListener('visibilitychange', onHide);
  };
}
