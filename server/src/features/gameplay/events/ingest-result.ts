import type { CheckedEvent } from './check-event.ts';
import type { EventWarning } from './unknown-members.ts';

/** The result of a batch. docs/events.md describes each list. */
export interface IngestResult {
  records: EventRecord[];
  warnings: EventWarning[];
  errors: EventError[];
  /** Events that were already stored or occur more than once in the batch. */
  duplicateCount: number;
}

export interface EventRecord {
  index: number;
  eventRecordId: string;
  eventDefinitionId: string;
  matchSessionId?: string;
  matchPlayerId?: string;
  playerId?: string;
}

export interface EventError {
  index: number;
  statusCode: number;
  error: string;
  eventDefinitionId?: string;
  eventKey?: string;
  eventValue?: string;
}

/** The error of an event that is not stored. */
export function refusal(
  { index, eventDefinitionId, eventKey, eventValue }: CheckedEvent,
  statusCode: number,
  error: string,
): EventError {
  return {
    index,
    statusCode,
    error,
    ...(eventDefinitionId !== null && { eventDefinitionId }),
    ...(eventKey !== null && { eventKey }),
    ...(eventValue !== null && { eventValue }),
  };
}
