import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel';

/** A statement for PostgreSQL, with placeholders for its values. */
export interface TracedStatement {
  text: string;
}

/** Reports each statement to the tracer. Without a subscriber it costs nothing. */
export const statementChannel: TracingChannel<object, TracedStatement> =
  tracingChannel('guildhall:statement');
