import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { newId } from '../../../core/ids.ts';
import { insertAuditRecords } from './queries.ts';

/** Who did what to what, and from where. */
export interface AuditEntry extends Author {
  action: string;
  /** Where it is missing, that of the tenant. */
  workspaceId?: string | null;
  tenantId?: string | null;
  targetId?: string | null;
  /** What changed: `before` and `after`, `source`, and the like. Never a secret. */
  details?: Record<string, unknown>;
}

/**
 * Appends to the audit trail, in the transaction of what is audited, or by itself. An entry about a tenant is refused
 * outside of that tenant's scope.
 */
export async function auditTrail(db: Querier, entries: AuditEntry[]): Promise<void> {
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

/** What differs between two states of a thing, as the details of an entry; undefined where nothing does. */
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
