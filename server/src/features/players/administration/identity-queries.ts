import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { providers } from '../../studio/tenants/index.ts';

/** The player who has proved an email address. */
export async function findPlayersByEmail(db: Querier, email: string): Promise<string[]> {
  const rows = await db.rows<{ playerId: string }>(sql`
    SELECT player_id AS "playerId" FROM email_credentials WHERE email = ${email} AND player_id IS NOT NULL`);
  return rows.map(({ playerId }) => playerId);
}

/** The players who have one of these ids at a provider that is the same for all tenants. */
export async function findPlayersByIdentity(db: Querier, userIds: string[]): Promise<string[]> {
  const rows = await db.rows<{ playerId: string }>(sql`
    SELECT DISTINCT method.player_id AS "playerId"
    FROM unnest(${userIds}::text[]) wanted (user_id)
    CROSS JOIN unnest(${[...providers]}::text[]) provider (name)
    CROSS JOIN LATERAL (
      SELECT player_id FROM auth_methods
      WHERE auth_provider = provider.name AND issuer = '' AND provider_user_id = wanted.user_id OFFSET 0) method`);
  return rows.map(({ playerId }) => playerId);
}
