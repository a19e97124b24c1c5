/**
 * Thrown for a problem that the operator can correct: a setting, a folder, the rights of a database user. The command line
 * prints the message without a stack, so it is one sentence that names the setting and the remedy.
 */
export class OperatorError extends Error {
  override name = 'OperatorError';
}
