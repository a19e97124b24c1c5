import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { useChange } from '../../app/use-change';
import { byOffset, LARGEST_PAGE } from '../../components/paging';

export type AccountSession = Answer<'/api/saas-auth/sessions', 'get'>['items'][number];

export const accountSessionsQuery = infiniteQueryOptions({
  queryKey: ['account-sessions'],
  queryFn: ({ pageParam: offset, signal }) =>
    api.GET('/api/saas-auth/sessions', { params: { query: { limit: LARGEST_PAGE, offset } }, signal }),
  ...byOffset,
});

/** The answer to a change of the second factor may hold codes that are shown once. */
const outdated = { keys: [['me'], accountSessionsQuery.queryKey], waits: false };

/** The current password, or a code of the authenticator app. */
export type Reauthentication = Body<'/api/saas-auth/totp/enroll', 'post'>;

export const useChangePassword = () =>
  useChange(outdated, (body: { currentPassword: string; newPassword: string }) =>
    api.PUT('/api/saas-auth/password', { body }),
  );

export const useEndSession = () =>
  useChange(outdated, (sessionId: string) =>
    api.DELETE('/api/saas-auth/sessions/{sessionId}', { params: { path: { sessionId } } }),
  );

export const useResendVerification = () =>
  useChange({ keys: [] }, () => api.POST('/api/saas-auth/email/resend'));

export const useEnrollTotp = () =>
  useChange({ keys: [] }, (body: Reauthentication) => api.POST('/api/saas-auth/totp/enroll', { body }));

export const useConfirmTotp = () =>
  useChange(outdated, (code: string) => api.POST('/api/saas-auth/totp/confirm', { body: { code } }));

export const useRenewRecoveryCodes = () =>
  useChange({ keys: [] }, (body: Reauthentication) =>
    api.POST('/api/saas-auth/totp/recovery-codes', { body }),
  );

export const useDisableTotp = () =>
  useChange(outdated, (body: Reauthentication) => api.DELETE('/api/saas-auth/totp', { body }));
