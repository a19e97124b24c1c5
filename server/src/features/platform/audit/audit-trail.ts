import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { newId } from '../../../core/ids.ts';
import type { AuditAction } from './actions.ts';
import { insertAuditRecords } from './queries.ts';

/** One record of the audit trail: the author, the action, its target and the origin of the request. */
export interface AuditEntry extends Author {
  action: AuditAction;
  /** If omitted, the workspace of the tenant is stored. */
  workspaceId?: string | null;
  tenantId?: string | null;
  targetId?: string | null;
  /** The details of the change, such as `before`, `after` and `source`. Must not contain secrets. */
  details?: Record<string, unknown>;
}

/**
 * Appends a record to the audit trail. Pass the transaction of the audited change, if there is one. A record of a tenant can be written
 * in the scope of that tenant, or in the scope of a player whom it knows.
 */
export function audit(db: Querier, entry: AuditEntry): Promise<void> {
  return auditAll(db, [entry]);
}

/** Appends records with one statement, like {@link audit}. */
export async function auditAll(db: Querier, entries: AuditEntry[]): Promise<void> {
  await insertAuditRecords(
    db,
    entries.map((entry) => ({
      id: newId(),
      workspace_id: entry.workspaceId ?? null,
      tenant_id: entry.tenantId ?? null,
      actor_kind: entry.actor.kind,
      actor_id: entry.actor.id,
      action: entry.action,
      target_id: entry.targetId ?? null,
      details: entry.details ?? {},
      ip_address: entry.origin?.ip ?? null,
      request_id: entry.origin?.id ?? null,
    })),
  );
}

/** Returns the fields that differ, as the details of a record. Returns undefined if the states are equal. */
export function difference<State extends object>(
  before: State,
  after: State,
): { before: Partial<State>; after: Partial<State> } | undefined {
  const changed = (Object.keys(after) as (keyof State)[]).filter(
    (name) => canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
  if (changed.length === 0) return undefined;
  const pick = (state: State): Partial<State> =>
    Object.fromEntries(changed.map((name) => [name, state[name]])) as Partial<State>;
  return { before: pick(before), after: pick(after) };
}
