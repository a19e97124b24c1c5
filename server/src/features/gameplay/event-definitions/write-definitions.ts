import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { inSlices } from '../../../core/concurrency/event-loop.ts';
import { newId } from '../../../core/ids.ts';
import { auditAll, difference, type AuditAction, type AuditEntry } from '../../platform/audit/index.ts';
import {
  pairKey,
  type Definition,
  type FullDefinition,
  type MutableFields,
  type NewDefinition,
} from './definition.ts';
import { countDefinitions, findDefinitionsByPair, insertDefinitions, updateDefinitions } from './queries.ts';

/** The author of a change for the audit trail. `source` is set if the change does not come from a single API call. */
export type AuditAuthor = Author & { source?: 'auto_create' | 'csv_import' };

/** Definitions per statement. One turn of the event loop converts their arguments and rows in 10 ms. */
const DEFINITIONS_PER_STATEMENT = 500;

interface AddResult {
  created: FullDefinition[];
  /** Definitions whose pair already existed. They are unchanged. */
  existing: Definition[];
  /** Definitions that were not created because of the limit. */
  overLimit: NewDefinition[];
}

/** Creates definitions with their audit records, up to `limit` per tenant. The pairs in `wanted` must be unique. */
export async function addDefinitions(
  transaction: Querier,
  tenantId: string,
  wanted: NewDefinition[],
  limit: number,
  writer: AuditAuthor,
): Promise<AddResult> {
  const [, count, existing] = await Promise.all([
    lockUntilCommit(transaction, 'eventDefinitions', tenantId),
    countDefinitions(transaction, tenantId, { includeInactive: true }),
    findDefinitionsByPair(transaction, tenantId, wanted),
  ]);
  const taken = new Set(existing.map((one) => pairKey(one)));
  const free = wanted.filter((one) => !taken.has(pairKey(one)));
  const room = Math.max(limit - count, 0);
  const created: FullDefinition[] = [];
  for await (const slice of inSlices(tenantId, free.slice(0, room), DEFINITIONS_PER_STATEMENT))
    created.push(...(await insertAudited(transaction, tenantId, slice, writer)));
  return { created, existing, overLimit: free.slice(room) };
}

async function insertAudited(
  transaction: Querier,
  tenantId: string,
  wanted: readonly NewDefinition[],
  { source, ...author }: AuditAuthor,
): Promise<FullDefinition[]> {
  const created = await insertDefinitions(
    transaction,
    tenantId,
    wanted.map((definition) => ({ ...definition, id: newId() })),
  );
  const action: AuditAction =
    source === 'auto_create' ? 'event_definition.auto_created' : 'event_definition.created';
  const entries = created.map(({ id, createdAt: _created, updatedAt: _updated, ...after }) => ({
    ...author,
    action,
    tenantId,
    targetId: id,
    details: { source, after },
  }));
  await auditAll(transaction, entries);
  return created;
}

/** A definition that the transaction has locked, and its new field values. */
export interface DefinitionChange {
  definition: FullDefinition;
  changes: Partial<MutableFields>;
}

/**
 * Changes definitions and writes an audit record for each. An empty category or description becomes null. Skips definitions
 * that do not change. Returns the changed definitions.
 */
export async function changeDefinitions(
  transaction: Querier,
  tenantId: string,
  wanted: DefinitionChange[],
  writer: AuditAuthor,
): Promise<FullDefinition[]> {
  const written: FullDefinition[] = [];
  for await (const slice of inSlices(tenantId, wanted, DEFINITIONS_PER_STATEMENT))
    written.push(...(await updateAudited(transaction, tenantId, slice, writer)));
  return written;
}

async function updateAudited(
  transaction: Querier,
  tenantId: string,
  wanted: readonly DefinitionChange[],
  { source, ...author }: AuditAuthor,
): Promise<FullDefinition[]> {
  const changed: (MutableFields & { id: string })[] = [];
  const entries: AuditEntry[] = [];
  for (const { definition, changes } of wanted) {
    const after = mutableFields({ ...definition, ...changes });
    const details = difference(mutableFields(definition), after);
    if (!details) continue;
    changed.push({ ...after, id: definition.id });
    entries.push({
      ...author,
      action: 'event_definition.updated',
      tenantId,
      targetId: definition.id,
      details: { source, ...details },
    });
  }
  if (changed.length === 0) return [];
  await auditAll(transaction, entries);
  return updateDefinitions(transaction, tenantId, changed);
}

function mutableFields(definition: MutableFields): MutableFields {
  const { eventScope, eventCategory, eventDescription, isActive } = definition;
  return {
    eventScope,
    eventCategory: eventCategory || null,
    eventDescription: eventDescription || null,
    isActive,
  };
}
