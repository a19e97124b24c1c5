import type pg from 'pg';
import { arrangeTenant, type TestTenant } from '../../server/src/testing/arrange.ts';
import type { TestApp } from '../../server/src/testing/test-app.ts';

/** A tenant that creates definitions of events as they come, and has no rate limit that a test reaches. */
export async function arrangeGame(app: TestApp): Promise<TestTenant> {
  const tenant = await arrangeTenant(app);
  await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenant.tenantId]);
  return tenant;
}

export interface StoredEvents {
  /** All rows. */
  rows: number;
  /** Rows with different values. Each event of a test has a value of its own. */
  distinct: number;
}

/** Counts the player events of a tenant. */
export async function countEvents(owner: pg.Pool, tenantId: string): Promise<StoredEvents> {
  const { rows } = await owner.query(
    'SELECT count(*)::int AS rows, count(DISTINCT value)::int AS distinct FROM player_events WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0] as StoredEvents;
}
