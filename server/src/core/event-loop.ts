import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Hands out a list in slices, each in a turn of the event loop of its own: so work on a list that a caller sent does not keep other
 * requests waiting for longer than one slice takes.
 */
export async function* inSlices<Item>(items: readonly Item[], size: number): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextTurn();
    yield items.slice(at, at + size);
  }
}

/** The same for bytes. */
export async function* bytesInSlices(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + size);
  }
}
