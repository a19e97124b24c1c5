import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields a list in slices, each in its own turn of the event loop. Other requests wait for at most one slice. */
export async function* inSlices<Item>(items: readonly Item[], size: number): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextTurn();
    yield items.slice(at, at + size);
  }
}

/** Yields bytes like {@link inSlices}. */
export async function* bytesInSlices(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + size);
  }
}
