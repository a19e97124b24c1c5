import type { BillingContext } from '../../../../core/billing-context.ts';
import type { CheckedEvent, EventNames } from './check-event.ts';
import type { EventScope } from '../event-row.ts';
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

interface EventError {
  index: number;
  statusCode: number;
  error: string;
  eventDefinitionId?: string;
  eventKey?: string;
  eventValue?: string;
}

/** A refused event: its error in the answer, and the names under which the studio finds it. */
export interface RefusedEvent extends EventNames {
  error: EventError;
  /** Whether the definition is the reason. If so, the value and the ID of the definition are among its names. */
  isOfDefinition: boolean;
}

/** A batch while it is processed. The errors of its refused events become those of the result. */
export interface EventBatch extends Omit<IngestResult, 'errors'> {
  readonly scope: EventScope;
  readonly billing: BillingContext;
  refused: RefusedEvent[];
}

/** Refuses a valid event that cannot be stored. */
export function refuse(
  { index, eventDefinitionId, eventKey, eventValue, idempotencyKey }: CheckedEvent,
  statusCode: number,
  error: string,
  { isOfDefinition = false } = {},
): RefusedEvent {
  return {
    error: {
      index,
      statusCode,
      error,
      ...(eventDefinitionId !== null && { eventDefinitionId }),
      ...(eventKey !== null && { eventKey }),
      ...(eventValue !== null && { eventValue }),
    },
    eventKey,
    idempotencyKey,
    isOfDefinition,
  };
}
