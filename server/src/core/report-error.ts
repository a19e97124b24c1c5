/** Logs an error that does not change the response of the request. */
export type ReportError = (error: unknown, what: string) => void;
