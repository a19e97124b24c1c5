/** The reasons for which a session ends. */
export const logoutReasons = [
  'user_logout',
  'timeout',
  'token_expired',
  'kicked',
  'device_blocked',
  'account_suspended',
  'network_error',
  'client_crash',
  'app_close',
  'server_shutdown',
  'unknown',
] as const;

export type LogoutReason = (typeof logoutReasons)[number];
