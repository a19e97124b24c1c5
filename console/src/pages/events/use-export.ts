import { useRef, useState } from 'react';
import { saveBlob } from '../../components/save-file';
import type { RangeName } from '../../components/range';
import { downloadEvents, type EventFilter } from './queries';

/** An export of events: how many bytes have arrived, and how to stop it. */
export function useExport(tenantId: string, filter: EventFilter, range: RangeName) {
  const [bytes, setBytes] = useState<number>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);

  const start = async (format: 'csv' | 'ndjson'): Promise<void> => {
    running.current = new AbortController();
    setError(undefined);
    setBytes(0);
    try {
      const { signal } = running.current;
      saveBlob(`events.${format}`, await downloadEvents(tenantId, filter, range, format, setBytes, signal));
    } catch (failure) {
      if (!running.current.signal.aborted) setError(failure);
    } finally {
      setBytes(undefined);
    }
  };
  return {
    bytes,
    error,
    start: (format: 'csv' | 'ndjson') => void start(format),
    cancel: () => running.current?.abort(),
  };
}
