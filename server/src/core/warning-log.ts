/** Receives what an operator should know and no request reports. */
export interface WarningLog {
  warn(details: object, message: string): void;
}
