import { createFairSemaphore } from '../../../../../core/concurrency/fair-semaphore.ts';

/** A file has up to 3.5 GB. The downloads of one tenant leave a slot for those of others. */
const CONCURRENT_DOWNLOADS = { running: 2, runningPerOwner: 1 };

/** A download that runs, or waits for its turn. */
interface Download {
  /** How many readers wait for it. */
  readers: number;
  ended?: Promise<void>;
}

/**
 * Creates a function that runs one download of a file at a time, for all readers that ask for it meanwhile. Tenants take turns. If the
 * signals of all readers are aborted before its turn, the download does not run.
 */
export function createSharedDownloads() {
  const slots = createFairSemaphore(CONCURRENT_DOWNLOADS);
  const downloads = new Map<string, Download>();

  return async (
    tenantId: string,
    path: string,
    work: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    signal?.throwIfAborted();
    const download: Download = downloads.get(path) ?? { readers: 0 };
    downloads.set(path, download);
    download.readers++;
    const leave = (): void => void download.readers--;
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await (download.ended ??= slots.run(tenantId, async () => {
        try {
          if (download.readers > 0) await work();
        } finally {
          // If no reader is left, this runs in the same turn as the check, so no new reader waits for a download that does not run.
          downloads.delete(path);
        }
      }));
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };
}
