import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Author } from '../../http/request-context.ts';
import { canonicalJson } from '../../shared/canonical-json.ts';
import { newId } from '../../shared/ids.ts';

/** Who did what to what, and from where. */
export interface AuditEntry extends Author {
  action: string;
  workspaceId?: string | null;
  tenantId?: string | null;
  targetId?: string | null;
  /** What changed: `before` and `after`, `source`, and the like. Never a secret. */
  details?: Record<string, unknown>;
}

/** Appends to the audit trail, in the transaction of what is audited, or by itself. */
export async function auditTrail(db: Querier, entries: AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
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
  }));
  await db.run(sql`
    INSERT INTO audit_records (id, workspace_id, tenant_id, actor_kind, actor_id, action, target_id, details, ip_address, request_id)
    SELECT id, workspace_id, tenant_id, actor_kind, actor_id, action, target_id, details, ip_address, request_id
    FROM jsonb_populate_recordset(NULL::audit_records, ${JSON.stringify(rows)})`);
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
