import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, client, type Answer } from '../../app/client';
import { byOffset, LARGEST_PAGE } from '../../components/paging';

export type AccountSession = Answer<'/api/saas-auth/sessions', 'get'>['items'][number];

export const accountSessionsQuery = infiniteQueryOptions({
  queryKey: ['account-sessions'],
  queryFn: ({ pageParam: offset, signal }) =>
    api.GET('/api/saas-auth/sessions', { params: { query: { limit: LARGEST_PAGE, offset } }, signal }),
  ...byOffset,
});

/**
 * Changes of the own account. Each one reads the account again. Nothing waits for that: a component that the new state removes
 * would not get the answer, which may hold codes that are shown once.
 */
function useAccountChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      void client.reload();
      void queryClient.invalidateQueries({ queryKey: ['me'] });
      void queryClient.invalidateQueries({ queryKey: accountSessionsQuery.queryKey });
    },
  });
}

/** The current password, or a code of the authenticator app. */
export interface Reauthentication {
  password?: string;
  code?: string;
}

export const useChangePassword = () =>
  useAccountChange((body: { currentPassword: string; newPassword: string }) =>
    api.PUT('/api/saas-auth/password', { body }),
  );

export const useEndSession = () =>
  useAccountChange((sessionId: string) =>
    api.DELETE('/api/saas-auth/sessions/{sessionId}', { params: { path: { sessionId } } }),
  );

export const useResendVerification = () =>
  useMutation({ mutationFn: () => api.POST('/api/saas-auth/email/resend') });

export const useEnrollTotp = () =>
  useMutation({ mutationFn: (body: Reauthentication) => api.POST('/api/saas-auth/totp/enroll', { body }) });

export const useConfirmTotp = () =>
  useAccountChange((code: string) => api.POST('/api/saas-auth/totp/confirm', { body: { code } }));

export const useRenewRecoveryCodes = () =>
  useMutation({
    mutationFn: (body: Reauthentication) => api.POST('/api/saas-auth/totp/recovery-codes', { body }),
  });

export const useDisableTotp = () =>
  useAccountChange((body: Reauthentication) => api.DELETE('/api/saas-auth/totp', { body }));
