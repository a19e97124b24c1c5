import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { patience } from '../../app/query-client';
import type { Head } from './check-entry';
import { readEntries } from './queries';
import { verifyLedger } from './verify-ledger';

const VERIFIED_AT_ONCE = 1_000;

/** Verifies the ledger in this browser. `stop` ends a verification without a verdict. */
export function useVerification(tenantId: string) {
  const queryClient = useQueryClient();
  const controller = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState({ verified: 0, total: 0 });
  const verification = useMutation({
    mutationFn: (savedHead?: Head) => {
      controller.current?.abort();
      const { signal } = (controller.current = new AbortController());
      setProgress({ verified: 0, total: 0 });
      return verifyLedger({
        tenantId,
        savedHead,
        onProgress: (verified, total) => setProgress({ verified, total }),
        readPage: (cursor) => {
          signal.throwIfAborted();
          return queryClient.fetchQuery({
            queryKey: ['wallet-verification', tenantId, cursor],
            queryFn: () =>
              readEntries(tenantId, { order: 'oldest', cursor, limit: VERIFIED_AT_ONCE }, signal),
            staleTime: 0,
            gcTime: 0,
            ...patience,
          });
        },
      });
    },
  });
  useEffect(() => () => controller.current?.abort(), []);
  return {
    ...verification,
    progress,
    stop: () => {
      controller.current?.abort();
      verification.reset();
    },
  };
}
