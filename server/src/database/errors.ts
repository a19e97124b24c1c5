import pg from 'pg';

/** Whether PostgreSQL has returned an error with this SQLSTATE. */
function hasCode(error: unknown, code: string): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === code;
}

/** Whether an error is a unique violation, of the named constraint or of any. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return hasCode(error, '23505') && (!constraint || error.constraint === constraint);
}

/** Whether a database exists already, or another process creates it at the same time. */
export function isDuplicateDatabase(error: unknown): boolean {
  return isUniqueViolation(error) || hasCode(error, '42P04');
}

/** Whether PostgreSQL refuses connections because it starts, recovers or ends. */
export function isNotReady(error: unknown): boolean {
  return hasCode(error, '57P03');
}

/** Thrown if a check finds that the database takes no writes, such as a standby. */
export class ReadOnlyError extends Error {
  override name = 'ReadOnlyError';
  override message = 'The database is read-only.';
}

/** Whether the database takes no writes, such as a standby. */
export function isReadOnly(error: unknown): error is Error {
  return error instanceof ReadOnlyError || hasCode(error, '25006');
}

/** The reason that a statement passed to guildhall_refuse(reason). Undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  return hasCode(error, 'GH001') ? error.message : undefined;
}

/** Whether a transaction certainly had no effect: PostgreSQL rejected it, or no connection could be opened. */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true;
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    code === 'ECONNREFUSED' || code === 'ENOENT' || message === 'timeout exceeded when trying to connect'
  );
}

/** Whether PostgreSQL answered with an error. Otherwise the connection failed. */
export function isAnswered(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/**
 * Whether PostgreSQL rejected a transaction because of its content: a value, a constraint, a deadlock, a refusal or a hard stop.
 * Then it had no effect, and a part of it may succeed. Timeouts and failures of the server do not count.
 */
export function isRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(21|22|23|GH|40001|40P01)/.test(error.code ?? '');
}

/** Whether an error says that the hard stop of a plan is reached. */
export function isQuotaExceeded(error: unknown): boolean {
  return hasCode(error, 'GH002');
}

/** Whether an error is a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01');
}

/** Whether PostgreSQL has stopped a statement at its time limit. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, '57014');
}

/** Whether a statement waited for a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03');
}

/** Whether a node of Citus refused a COPY, for example because a row is stored already. The error has the message of the node without its code. */
export function isRefusedByNode(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'ReportCopyError';
}
