import { createAdminClient, GuildhallError, localStorage } from '@guildhall/client/admin';

export { GuildhallError, writeJson, type Answer, type Body, type operations } from '@guildhall/client/admin';

/** The client of the API. It keeps the session of the signed-in account in this browser, for all its tabs. */
export const client = createAdminClient({ baseUrl: window.location.origin, storage: localStorage() });

export const { api } = client;

/** Whether a request failed with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof GuildhallError && statuses.includes(error.status);
