import { checkEntry, checkOrder, GENESIS, type Head } from './check-entry';
import type { EntryPage } from './queries';

/** The result of a verification. `at` is the index of the first entry that is wrong. */
export type Verdict =
  | { isSound: true; head: Head }
  | { isSound: false; at: number; problem: string; verified: number };

interface VerifyOptions {
  tenantId: string;
  /** Reads the entries after an index, oldest first. */
  readPage: (after: number) => Promise<Pick<EntryPage, 'items' | 'head' | 'hasMore'>>;
  /** A head that was saved earlier. The chain must still contain it. */
  savedHead?: Head | undefined;
  onProgress: (verified: number, total: number) => void;
}

/** 100 entries take about 10 ms. Between them the page answers the reader, who may want to stop. */
const ENTRIES_PER_TASK = 100;
const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Reads the whole ledger, computes each hash again, and stops at the first entry that is wrong. */
export async function verifyLedger({
  tenantId,
  readPage,
  savedHead,
  onProgress,
}: VerifyOptions): Promise<Verdict> {
  let last = GENESIS;
  const wrong = (at: number, problem: string): Verdict => ({
    isSound: false,
    at,
    problem,
    verified: last.index,
  });

  // Entries that are recorded during the verification are left to the next one.
  let head: Head | undefined;
  while (head === undefined || last.index < head.index) {
    const { items, ...page } = await readPage(last.index);
    head ??= page.head;
    for (const [number, entry] of items.entries()) {
      if (entry.index > head.index) break;
      if (number % ENTRIES_PER_TASK === 0) await nextTask();
      const problem = checkOrder(entry, last) ?? checkEntry(tenantId, entry);
      if (problem) return wrong(entry.index, `Entry ${entry.index} ${problem}.`);
      if (entry.index === savedHead?.index && entry.hash !== savedHead.hash)
        return wrong(
          entry.index,
          `Entry ${entry.index} had another hash when the head was saved. It, or an entry before it, was replaced.`,
        );
      last = entry;
    }
    onProgress(last.index, head.index);
    if (items.length === 0 && last.index < head.index)
      return wrong(last.index + 1, `Entry ${last.index + 1} is missing. The ledger has ${head.index}.`);
  }

  if (last.hash !== head.hash)
    return wrong(last.index, 'The head of the ledger does not match the hash of its last entry.');
  if (savedHead && savedHead.index > head.index)
    return wrong(head.index, `The ledger ends at entry ${head.index}, before the head that was saved.`);
  return { isSound: true, head: { index: head.index, hash: head.hash } };
}

/** Reads a head in the form `1204:0x6f0c…`. Returns undefined if it has another form. */
export function parseHead(text: string): Head | undefined {
  const [, index, hash] = /^(\d{1,16}):(0x[0-9a-fA-F]{64})$/.exec(text.trim()) ?? [];
  return index !== undefined && hash !== undefined
    ? { index: Number(index), hash: hash.toLowerCase() }
    : undefined;
}
