import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const waiting: (() => void)[] = [];

/** An idle process passes through these turns in some microseconds. A busy one answers other requests in them. */
const TURNS_BETWEEN_SLICES = 3;

/**
 * Waits for a later turn of the event loop that no other caller gets. Work that takes many turns calls it between its slices. So all
 * such work together delays short requests by one slice in four turns.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) passTurns(TURNS_BETWEEN_SLICES);
  });
}

function passTurns(turns: number): void {
  setImmediate(() => {
    if (turns > 0) return passTurns(turns - 1);
    waiting.shift()!();
    if (waiting.length > 0) passTurns(TURNS_BETWEEN_SLICES);
  });
}

/** Yields a list in slices, each in its own turn of the event loop. */
export async function* inSlices<Item>(items: readonly Item[], size: number): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextSlice();
    yield items.slice(at, at + size);
  }
}

/** Yields bytes like {@link inSlices}. */
export async function* bytesInSlices(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await nextSlice();
    yield bytes.subarray(at, at + size);
  }
}

/** A process is busy if its event loop works for more than this part of the time. */
const BUSY = 0.3;
/** How long work in the background rests in a busy process: three times as long as it took, so that it gets a quarter. */
const REST = 3;
const MAX_REST_MS = 250;

/**
 * Rests after a part of work in the background, such as an export, so that other requests get most of the event loop. In
 * an idle process it waits for a millisecond only, in which it measures whether the process is busy.
 */
export async function giveWay(workedMs: number): Promise<void> {
  const before = performance.eventLoopUtilization();
  await sleep(1);
  const { utilization } = performance.eventLoopUtilization(before);
  if (utilization > BUSY) await sleep(Math.min(workedMs * REST, MAX_REST_MS));
}

/** Yields slices, and rests after each with {@link giveWay}. */
export async function* inBackground<Slice>(slices: AsyncIterable<Slice>): AsyncGenerator<Slice> {
  for await (const slice of slices) {
    const began = performance.now();
    yield slice;
    await giveWay(performance.now() - began);
  }
}
