import assert from 'node:assert/strict';
import type { Kind, Stored } from '../audit-history.ts';
import type { Storage } from '../storage.ts';

/** The rows that the operations created. A row that lacks its counterpart in another table is not found. */
const ROWS: Partial<Record<Kind, string>> = {
  event: `
    SELECT idempotency_key AS key, tenant_id AS tenant, created_at_gl AS at,
           player_id || ' survived ' || value || ' at ' || to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS content
    FROM player_events`,
  'sign-in': `
    SELECT client_build AS key, tenant_id AS tenant, received_at_db AS at, ledger.platform AS content
    FROM login_ledger ledger JOIN login_sessions USING (tenant_id, session_id) WHERE client_build IS NOT NULL`,
  match: `
    SELECT mode AS key, tenant_id AS tenant, match.started_at AS at, player_id::text AS content
    FROM match_sessions match JOIN match_players player USING (tenant_id) WHERE player.match_session_id = match.id`,
  'wallet entry': `
    SELECT player_id AS key, tenant_id AS tenant, recorded_at AS at, lower(address) AS content
    FROM wallet_players JOIN wallet_ledger_entries USING (tenant_id, player_index)`,
  // The n-th exchange of a session uses its n-th token and issues the next one. Sign-in issues the first.
  refresh: `
    SELECT session_id || '-' || number AS key, tenant_id AS tenant, predecessor_used_at AS at, content
    FROM (SELECT session_id, tenant_id, row_number() OVER chain - 1 AS number, lag(used_at) OVER chain AS predecessor_used_at,
                 CASE WHEN used_at IS NULL THEN 'valid' ELSE 'used' END AS content
          FROM refresh_tokens WINDOW chain AS (PARTITION BY session_id ORDER BY expires_at, used_at NULLS LAST)) token
    WHERE number > 0`,
};

/** Reads the rows of all kinds of operations. */
export async function readRows({ query }: Storage): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const [kind, statement] of Object.entries(ROWS))
    for (const { at, ...row } of await query(statement))
      stored.push({
        ...(row as Omit<Stored, 'kind' | 'storedAt'>),
        kind: kind as Kind,
        // A token without a used predecessor was issued without an exchange.
        storedAt: (at as Date | null)?.getTime() ?? Infinity,
      });
  return stored;
}

/** The units of each tenant, whether or not the worker has added them up. */
export async function readBill({ query }: Storage): Promise<Record<string, number>> {
  const rows = await query(
    `SELECT tenant_id, sum(units)::int AS units
     FROM (SELECT tenant_id, units FROM usage_entries UNION ALL SELECT tenant_id, units FROM usage_totals) entry
     GROUP BY tenant_id`,
  );
  return Object.fromEntries(rows.map(({ tenant_id, units }) => [tenant_id, units])) as Record<string, number>;
}

/** Compares the events with their roll-ups by definition and in total, and the deltas that the worker has not moved. */
export async function assertCountedOnce({ query }: Storage): Promise<void> {
  const [events] = await query(
    `WITH rollup AS (SELECT is_total, sum(events) AS events FROM event_rollups WHERE span = 'minute' GROUP BY is_total),
          delta AS (SELECT coalesce(sum(events), 0) AS events FROM event_rollup_deltas)
     SELECT (SELECT count(*) FROM player_events)::int AS stored,
            (delta.events + coalesce((SELECT events FROM rollup WHERE NOT is_total), 0))::int AS by_definition,
            (delta.events + coalesce((SELECT events FROM rollup WHERE is_total), 0))::int AS in_total
     FROM delta`,
  );
  const { stored, by_definition, in_total } = events!;
  assert.deepEqual(
    { by_definition, in_total },
    { by_definition: stored, in_total: stored },
    'each event is counted once',
  );
  assert.notEqual(stored, 0);
}
