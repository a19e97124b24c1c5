/** The message of the driver if the server does not accept TLS. */
export const NO_TLS = 'The server does not support SSL connections';

/** Whether Node refuses a certificate: it has expired, its authority is unknown, or it is for another host. */
export const isCertificateError = (code: string | undefined): boolean => /CERT|VERIFY/.test(code ?? '');

/** Whether a connection cannot take its role: an operator has revoked it from the user of the connection, or has removed it. */
const isRoleRefused = (code: string | undefined, message: string): boolean =>
  (code === '42501' && message.startsWith('permission denied to set role ')) ||
  (code === '22023' && /^role ".*" does not exist$/.test(message));

/** Whether the database could not be reached, the connection broke, or the server could not do its work, such as with a full disk. */
export function isDatabaseUnavailable(error: Error): boolean {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  return (
    // Requests and commands connect to PostgreSQL only: other services have errors of their own. The socket may also refuse (EACCES),
    // and the name may not resolve.
    ['connect', 'getaddrinfo'].includes(syscall ?? '') ||
    isCertificateError(code) ||
    message === NO_TLS ||
    isRoleRefused(code, message) ||
    // Classes 08 and 57P0: the connection broke, or PostgreSQL shuts down or starts up. 25P03 and 25P04: a time limit of the operator
    // for transactions ended the connection. Class 53: no connections, memory or disk space are left. 58030: a disk failed.
    // 58P01: a file of PostgreSQL is missing, for example while a package manager replaces its programs.
    // 25006: PostgreSQL is a standby, or takes no writes. 28 and 3D000: the role or the database is closed.
    /^(08...|57P0[1-5]|53...|58030|58P01|25006|25P0[34]|28...|3D000|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(
      code ?? '',
    ) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/.test(
      message,
    ) ||
    // Citus gives no code of their own to these errors: the coordinator or another node has died.
    /^(postmaster was shut down|failure on connection marked as essential)/.test(message)
  );
}
