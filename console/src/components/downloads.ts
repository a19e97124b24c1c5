import { saveBlob } from './save-file';
import { createStore } from './store';

/** A download through the API that is running or has failed. It continues while the reader visits other pages. */
export interface Download {
  id: number;
  /** The name of the file. */
  name: string;
  /** How many have arrived. */
  bytes: number;
  error?: unknown;
  /** Stops it, or removes its error. */
  end: () => void;
}

const downloads = createStore<readonly Download[]>([]);
let lastId = 0;

function change(id: number, changes: Partial<Download>): void {
  downloads.set(
    downloads.get().map((download) => (download.id === id ? { ...download, ...changes } : download)),
  );
}

export const useDownloads = downloads.use;

/** Downloads a file. It is saved when it is complete, so that no part of one looks like a whole one. */
export function startDownload(name: string, request: (signal: AbortSignal) => Promise<Response>): void {
  const id = ++lastId;
  const abort = new AbortController();
  const remove = (): void => downloads.set(downloads.get().filter((download) => download.id !== id));
  const end = (): void => {
    abort.abort();
    remove();
  };
  downloads.set([...downloads.get(), { id, name, bytes: 0, end }]);
  const work = async (): Promise<void> => {
    const response = await request(abort.signal);
    saveBlob(name, await readBlob(response, (bytes) => change(id, { bytes })));
    remove();
  };
  // change() ignores a download that was ended.
  work().catch((error: unknown) => change(id, { error }));
}

export function endDownloads(): void {
  for (const { end } of downloads.get()) end();
}

/** Reads an answer piece by piece, and reports the bytes that have arrived. */
async function readBlob(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      onProgress((bytes += part.value.length));
    }
  } catch (cause) {
    throw new Error('The connection was lost before the end. No file was saved. Export again.', { cause });
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? 'text/plain' });
}
