import type { Querier } from '../../../database/database.ts';
import { inSlices } from '../../../core/event-loop.ts';
import { newId } from '../../../core/ids.ts';
import { auditTrail, difference, type AuditEntry } from '../../platform/audit/index.ts';
import {
  pairKey,
  type Definition,
  type FullDefinition,
  type MutableFields,
  type NewDefinition,
} from './definition.ts';
import {
  countDefinitions,
  findDefinitionsByPair,
  insertDefinitions,
  lockCreation,
  updateDefinitions,
} from './queries.ts';

/** Who writes, and through which door where it is none of the usual ones: what the audit trail keeps of it. */
export type Writer = Pick<AuditEntry, 'actor' | 'origin'> & { source?: 'auto_create' | 'csv_import' };

/** Definitions that one statement writes. Its arguments and its rows are converted in one turn of the event loop, in 10 ms. */
const SLICE = 500;

/** What became of definitions that were to be created. */
export interface Addition {
  created: FullDefinition[];
  /** Those whose pair existed before, as they are. */
  existing: Definition[];
  /** Those that would have passed the limit of the tenant. */
  refused: NewDefinition[];
}

/** Creates definitions, each with an audit record, until the tenant has `most` of them. No two of `wanted` have the same pair. */
export async function addDefinitions(
  transaction: Querier,
  tenantId: string,
  wanted: NewDefinition[],
  most: number,
  writer: Writer,
): Promise<Addition> {
  const [, count, existing] = await Promise.all([
    lockCreation(transaction, tenantId),
    countDefinitions(transaction, tenantId, true),
    findDefinitionsByPair(transaction, tenantId, wanted),
  ]);
  const taken = new Set(existing.map((one) => pairKey(one.eventKey, one.eventValue)));
  const free = wanted.filter((one) => !taken.has(pairKey(one.eventKey, one.eventValue)));
  const room = Math.max(most - count, 0);
  const created: FullDefinition[] = [];
  for await (const slice of inSlices(free.slice(0, room), SLICE))
    created.push(...(await insertAudited(transaction, tenantId, slice, writer)));
  return { created, existing, refused: free.slice(room) };
}

async function insertAudited(
  transaction: Querier,
  tenantId: string,
  wanted: readonly NewDefinition[],
  { source, ...author }: Writer,
): Promise<FullDefinition[]> {
  const created = await insertDefinitions(
    transaction,
    tenantId,
    wanted.map((definition) => ({ ...definition, id: newId() })),
  );
  const action = source === 'auto_create' ? 'event_definition.auto_created' : 'event_definition.created';
  const entries = created.map(({ id, createdAt: _created, updatedAt: _updated, ...after }) => ({
    ...author,
    action,
    tenantId,
    targetId: id,
    details: { ...(source && { source }), after },
  }));
  await auditTrail(transaction, entries);
  return created;
}

/** A definition as the transaction has locked it, and what of it is to be otherwise. */
export interface WantedChange {
  definition: FullDefinition;
  changes: Partial<MutableFields>;
}

/**
 * Changes definitions, and audits each; an empty category or description is none. A change that changes nothing is neither
 * written nor audited. Returns those that were written.
 */
export async function changeDefinitions(
  transaction: Querier,
  tenantId: string,
  wanted: WantedChange[],
  writer: Writer,
): Promise<FullDefinition[]> {
  const written: FullDefinition[] = [];
  for await (const slice of inSlices(wanted, SLICE))
    written.push(...(await updateAudited(transaction, tenantId, slice, writer)));
  return written;
}

async function updateAudited(
  transaction: Querier,
  tenantId: string,
  wanted: readonly WantedChange[],
  { source, ...author }: Writer,
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
      details: { ...(source && { source }), ...details },
    });
  }
  if (changed.length === 0) return [];
  await auditTrail(transaction, entries);
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
