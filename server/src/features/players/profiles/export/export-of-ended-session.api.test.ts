import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { vault } from '../../../../testing/test-vault.ts';
import { exportInTenant } from './export-profile.ts';
import { noArchive } from '../../../../testing/no-archive.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const tenant = await arrangeTenant(app);

test('an export has a session once that ends while the export is sent', async () => {
  const { tenantId } = tenant;
  const player = await arrangePlayer(app, tenant);
  await app.owner.query(
    `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform)
     SELECT $1, gen_random_uuid(), $2, now(), now() - n * interval '1 minute', 'mock', 'Other'
     FROM generate_series(1, 500) n`,
    [tenantId, player.playerId],
  );
  const {
    rows: [oldest],
  } = await app.owner.query(
    'SELECT session_id FROM login_sessions WHERE player_id = $1 ORDER BY last_seen_at LIMIT 1',
    [player.playerId],
  );
  const pieces = exportInTenant({ database, archive: noArchive, vault }, tenantId, [player.playerId], {});
  let text = '';
  let hasEnded = false;
  for await (const piece of pieces) {
    text += piece;
    if (!hasEnded && text.includes(oldest.session_id)) {
      hasEnded = true;
      const out = await app.http.post('/api/player-auth/logout', { sessionId: oldest.session_id }, tenant);
      assert.equal(out.status, 200);
    }
  }
  const ids = JSON.parse(text).sessions.map(({ sessionId }: { sessionId: string }) => sessionId);
  assert.deepEqual([ids.length, new Set(ids).size], [501, 501]);
});
