import type { BillingContext } from '../../../../core/billing-context.ts';
import { createFlusher } from '../../../../core/concurrency/flusher.ts';
import { now } from '../../../../core/timestamps.ts';
import type { Log } from '../../../../core/log.ts';
import { lockUntilCommit } from '../../../../database/advisory-locks.ts';
import type { Database } from '../../../../database/database.ts';
import type { EventScope } from '../event-row.ts';
import type { RefusedEvent } from '../ingestion/ingest-result.ts';
import { addRejectedEvents, type CollectedGroup } from './queries.ts';

/** How often a process writes its counts. */
const FLUSH_EVERY_MS = 2_000;

/** The groups with names of a tenant and a day. Further events are counted by their reason alone. */
const MAX_NAMED_GROUPS = 100;

/** The groups of all tenants between two writes, of about 500 bytes each. Events of further groups are not counted. */
const MAX_COLLECTED_GROUPS = 10_000;

export interface RejectedEvents {
  /** Counts an event that a key sent and ingestion refused. */
  count(key: Pick<BillingContext, 'tenantId' | 'keyId'>, scope: EventScope, event: RefusedEvent): void;
  /** Writes the counts of this process now. If they cannot be written, they are lost. */
  flush(): Promise<void>;
  /** Writes the remaining counts. */
  close(): Promise<void>;
}

/**
 * Counts refused events in memory, and writes the counts every 2 seconds. Counts that cannot be written are lost
 * (docs/decisions/0068-rejected-events.md).
 */
export function openRejectedEvents({
  database,
  logger,
}: {
  database: Database;
  logger: Log<'warn'>;
}): RejectedEvents {
  let tenants = new Map<string, Map<string, CollectedGroup>>();
  let collectedGroups = 0;

  const write = async (): Promise<void> => {
    if (collectedGroups === 0) return;
    const groups = [...tenants.values()].flatMap((ofTenant) => [...ofTenant.values()]);
    tenants = new Map();
    collectedGroups = 0;
    try {
      await database.forPlatform().transaction(async (transaction) => {
        // One process after the other, so that together they stay within the limit of a tenant.
        await lockUntilCommit(transaction, 'rejectedEvents');
        await addRejectedEvents(transaction, groups, MAX_NAMED_GROUPS);
      });
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'counts of rejected events were not written');
    }
  };
  const { flush, close } = createFlusher(FLUSH_EVERY_MS, write);

  return {
    count({ tenantId, keyId }, scope, { error: refused, eventKey, idempotencyKey, isOfDefinition }) {
      const { statusCode, error, eventValue = null, eventDefinitionId = null } = refused;
      const names = isOfDefinition ? { eventKey, eventValue, eventDefinitionId } : { ...NO_NAMES, eventKey };
      const groups = tenants.get(tenantId) ?? new Map<string, CollectedGroup>();
      tenants.set(tenantId, groups);
      const reason = `${scope} ${statusCode} ${error}`;
      // No name is empty or contains a NUL.
      const withNames = `${reason}\0${names.eventKey ?? ''}\0${names.eventValue ?? ''}\0${names.eventDefinitionId ?? ''}`;
      const isNamed = groups.has(withNames) || groups.size < MAX_NAMED_GROUPS;
      const name = isNamed ? withNames : reason;
      const lastSeenAt = now();
      const group = groups.get(name);
      if (group) {
        group.events++;
        group.lastSeenAt = lastSeenAt;
        group.lastIdempotencyKey = idempotencyKey;
        group.lastKeyId = keyId;
      } else if (collectedGroups < MAX_COLLECTED_GROUPS) {
        collectedGroups++;
        groups.set(name, {
          tenantId,
          scope,
          statusCode,
          error,
          ...(isNamed ? names : NO_NAMES),
          events: 1,
          firstSeenAt: lastSeenAt,
          lastSeenAt,
          lastIdempotencyKey: idempotencyKey,
          lastKeyId: keyId,
        });
      }
    },
    flush,
    close,
  };
}

const NO_NAMES = { eventKey: null, eventValue: null, eventDefinitionId: null };
