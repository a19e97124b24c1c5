import type { Querier } from '../../database/database.ts';
import { newId } from '../../shared/ids.ts';
import { auditTrail, difference, type AuditEntry } from '../audit/index.ts';
import type { FullDefinition, MutableFields, NewDefinition } from './definition.ts';
import { insertDefinitions, updateDefinitions } from './queries.ts';

/** Who writes, and through which door where it is none of the usual ones: what the audit trail keeps of it. */
export type Writer = Pick<AuditEntry, 'actor' | 'origin'> & { source?: 'auto_create' | 'csv_import' };

/** Creates those of the definitions whose pair is free, and audits each. Returns what it created. */
export async function addDefinitions(
  transaction: Querier,
  tenantId: string,
  wanted: NewDefinition[],
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
  if (entries.length > 0) await auditTrail(transaction, entries);
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
