import type { PlayerRequests } from './player-requests.ts';
import type { Studio, World } from './world.ts';

type MakeQuery = (studio: Studio) => Promise<Record<string, string>>;

const LAST_DAY = 86_400_000;

/** The query parameters with ids and cursors, for the operations that a console account may call. */
export function accountQueries(
  { app }: World,
  { newEvents, newMatch }: PlayerRequests,
): Record<string, MakeQuery> {
  const { http, owner } = app;
  const place = ({ tenant }: Studio) => `/api/bus_tenants/${tenant.tenantId}`;
  /** The cursor after the first item of a list. */
  const cursorOf = async (path: string, studio: Studio): Promise<string> => {
    const { body, text } = await http.get(path, studio.owner);
    if (!body?.nextCursor) throw new Error(`The list has no second page: ${text}`);
    return body.nextCursor as string;
  };
  const eventsOf: MakeQuery = async (studio) => {
    const { player, matchSessionId } = await newEvents(studio);
    return { scope: 'match', playerId: player.playerId, matchSessionId };
  };
  const range = () => ({
    from: new Date(Date.now() - LAST_DAY).toISOString(),
    to: new Date(Date.now() + LAST_DAY).toISOString(),
  });
  const auditOf =
    (column: 'tenant_id' | 'workspace_id', list: (studio: Studio) => string): MakeQuery =>
    async (studio) => {
      // At least two records.
      for (const hiddenFromDiscovery of [true, false])
        await http.patch(place(studio), { hiddenFromDiscovery }, studio.owner);
      const { tenantId, workspaceId } = studio.tenant;
      const { rows } = await owner.query(
        `SELECT actor_id, target_id FROM audit_records WHERE ${column} = $1 AND target_id IS NOT NULL ORDER BY id DESC LIMIT 1`,
        [column === 'tenant_id' ? tenantId : workspaceId],
      );
      const { actor_id: actorId, target_id: targetId } = rows[0];
      return { actorId, targetId, cursor: await cursorOf(`${list(studio)}?limit=1`, studio), limit: '1' };
    };

  return {
    listEvents: async (studio) => {
      const query = { ...(await eventsOf(studio)), limit: '1' };
      const path = `${place(studio)}/events?${new URLSearchParams(query).toString()}`;
      return { ...query, cursor: await cursorOf(path, studio) };
    },
    exportEvents: eventsOf,
    getEventSummary: async (studio) => ({ ...(await eventsOf(studio)), ...range() }),
    listRejectedEvents: async (studio) => {
      await owner.query(
        `INSERT INTO rejected_events (tenant_id, day, id, scope, status_code, error, events, first_seen_at, last_seen_at, last_key_id)
         VALUES ($1, now()::date, gen_random_uuid(), 'player', 400, 'value must be an integer.', 1, now(), now(), gen_random_uuid())`,
        [studio.tenant.tenantId],
      );
      return range();
    },
    listTenantMatches: async (studio) => {
      await newMatch(studio);
      const { player } = await newMatch(studio);
      const cursor = await cursorOf(`${place(studio)}/matches?limit=1`, studio);
      return { playerId: player.playerId, cursor, limit: '1' };
    },
    listTenantPlayers: async (studio) => ({ search: (await newMatch(studio)).player.playerId }),
    listTenantAuditRecords: auditOf('tenant_id', (studio) => `${place(studio)}/audit-records`),
    listWorkspaceAuditRecords: auditOf(
      'workspace_id',
      ({ tenant }) => `/api/workspaces/${tenant.workspaceId}/audit-records`,
    ),
    listAlerts: async ({ tenant }) => {
      const { rows } = await owner.query('SELECT id FROM tenant_keys WHERE tenant_id = $1 LIMIT 1', [
        tenant.tenantId,
      ]);
      return { tenantId: tenant.tenantId, keyId: rows[0].id };
    },
  };
}
