import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOwnerQueue } from './owner-queue.ts';

/** The work that waits for a slice. */
const waiting = createOwnerQueue<() => void>();

/** How long slices run in one turn of the event loop. Most requests wait for several turns, so they notice each millisecond several times. */
const QUANTUM_MS = 1;
/** An idle process passes through these turns in some microseconds. A busy one answers other requests in them. */
const TURNS_BETWEEN_QUANTA = 3;

let quantumEndsAt = 0;

/**
 * Separates the slices of work that takes long. The next slice begins at once until the quantum is over. Then it waits for a later
 * turn of the event loop that no other such work gets. So all such work together delays short requests by one quantum in four turns.
 *
 * Owners take turns: between two slices of an owner, each other one gets at most one. An owner is a tenant, or a queue in which tenants
 * take turns already. So a tenant with 200 requests does not delay the only request of another tenant by 200 slices.
 */
export async function nextSlice(owner: string): Promise<void> {
  if (performance.now() < quantumEndsAt) return;
  await new Promise<void>((resolve) => {
    if (waiting.isEmpty()) passTurns(TURNS_BETWEEN_QUANTA);
    waiting.add(owner, resolve);
  });
}

function passTurns(turns: number): void {
  setImmediate(() => {
    if (turns > 0) return passTurns(turns - 1);
    quantumEndsAt = performance.now() + QUANTUM_MS;
    waiting.next()();
    if (!waiting.isEmpty()) passTurns(TURNS_BETWEEN_QUANTA);
  });
}

/** Yields a list in slices, with {@link nextSlice} between them. */
export async function* inSlices<Item>(
  owner: string,
  items: readonly Item[],
  size: number,
): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextSlice(owner);
    yield items.slice(at, at + size);
  }
}

/** Calls `work` for each item of a list, with {@link nextSlice} between slices. */
export async function forEachInSlices<Item>(
  owner: string,
  items: readonly Item[],
  size: number,
  work: (item: Item) => void,
): Promise<void> {
  for await (const slice of inSlices(owner, items, size)) for (const item of slice) work(item);
}

/** Items that are sorted at once, at first. Sorting them takes 0.3 ms. */
const SORTED_PER_SLICE = 250;

/** Returns a sorted list. Sorts slices first, and then merges two neighbours at a time, which sorting does in linear time. */
export async function sortInSlices<Item>(
  owner: string,
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let sorted = [...items];
  for (let size = SORTED_PER_SLICE; ; size *= 2) {
    const merged: Item[][] = [];
    for await (const slice of inSlices(owner, sorted, size)) merged.push(slice.toSorted(compare));
    sorted = merged.flat();
    if (size >= items.length) return sorted;
  }
}

/** Yields bytes like {@link inSlices}. */
export async function* bytesInSlices(owner: string, bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await nextSlice(owner);
    yield bytes.subarray(at, at + size);
  }
}

/** A process is busy if its event loop is active for more than this share of the time. */
const BUSY_UTILIZATION = 0.3;
/** In a busy process, background work pauses three times as long as it worked, so that it gets a quarter of the time. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 250;

/**
 * Pauses after a part of background work, such as an export, so that other requests get most of the event loop. In an idle
 * process the pause is 1 ms, in which the function measures whether the process is busy.
 */
export async function pauseIfBusy(workedMs: number): Promise<void> {
  const before = performance.eventLoopUtilization();
  await sleep(1);
  const { utilization } = performance.eventLoopUtilization(before);
  if (utilization > BUSY_UTILIZATION) await sleep(Math.min(workedMs * PAUSE_FACTOR, MAX_PAUSE_MS));
}

/** Yields slices, and pauses after each with {@link pauseIfBusy}. */
export async function* inBackground<Slice>(slices: AsyncIterable<Slice>): AsyncGenerator<Slice> {
  for await (const slice of slices) {
    const began = performance.now();
    yield slice;
    await pauseIfBusy(performance.now() - began);
  }
}
