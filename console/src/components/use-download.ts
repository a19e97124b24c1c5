import { useRef, useState } from 'react';
import { saveBlob } from './save-file';

/** A download through the API: how many bytes have arrived, and how to stop it. */
export function useDownload() {
  const [bytes, setBytes] = useState<number>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);

  const download = async (
    name: string,
    request: (signal: AbortSignal) => Promise<Response>,
  ): Promise<void> => {
    const { signal } = (running.current = new AbortController());
    setError(undefined);
    setBytes(0);
    try {
      saveBlob(name, await readBlob(await request(signal), setBytes));
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    } finally {
      setBytes(undefined);
    }
  };
  return {
    bytes,
    error,
    start: (name: string, request: (signal: AbortSignal) => Promise<Response>) =>
      void download(name, request),
    cancel: () => running.current?.abort(),
  };
}

/** Reads an answer piece by piece, and reports the bytes that have arrived. */
async function readBlob(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    onProgress((bytes += part.value.length));
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? 'text/plain' });
}
