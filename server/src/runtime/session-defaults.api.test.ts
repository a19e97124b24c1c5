import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';
import { prepareDatabase } from './prepare-database.ts';

/** Each of them would break statements, if connections did not set it. */
const DEFAULTS = {
  default_transaction_isolation: `'repeatable read'`,
  search_path: 'pg_temp',
  row_security: 'off',
  datestyle: `'SQL, DMY'`,
  standard_conforming_strings: 'off',
};

describe('a database whose sessions have other defaults', () => {
  const arrangeDefaults = async (defaults: Record<string, string>) => {
    const arranged = await startTestApp();
    const tenant = await arrangeTenant(arranged, { autoCreate: true });
    const name = new URL(arranged.databaseUrl).pathname.slice(1);
    for (const [setting, value] of Object.entries(defaults))
      await arranged.owner.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
    return { tenant, databaseUrl: arranged.databaseUrl };
  };

  // If strings are not standard, the partitions never end.
  test('serves players and creates partitions', { timeout: 60_000 }, async () => {
    const { tenant, databaseUrl } = await arrangeDefaults(DEFAULTS);
    await prepareDatabase(databaseUrl);
    const app = await startTestApp({ databaseUrl });
    const { accessToken, playerId, caller } = await arrangePlayer(app, tenant);
    const signIn = { provider: 'Mock', token: `mock:${randomUUID()}:secret` };
    const [keyed, bearer] = [{ gameKey: tenant.gameKey }, { bearer: accessToken }];
    const events = Array.from({ length: 300 }, () => ({
      playerId,
      eventKey: 'jump',
      idempotencyKey: randomUUID(),
      occurredAt: new Date().toISOString(),
    }));
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => app.http.post('/api/player-auth/login', signIn, keyed)),
      app.http.post('/api/game/player-events', { events }, caller),
      app.http.patch('/api/player-profile/me', { displayName: 'Ann' }, bearer),
      app.http.get('/api/player/sessions/history', bearer),
    ]);
    for (const { status, text } of answers) assert.ok(status < 300, `${status} ${text}`);
    assert.match(answers.at(-1)!.text, /"\d{4}-\d\d-\d\dT[\d:.]+Z"/);
  });

  test('migrates with short timeouts', async () => {
    const { databaseUrl } = await arrangeDefaults({
      statement_timeout: '1',
      lock_timeout: '1',
      idle_session_timeout: '1',
    });
    await prepareDatabase(databaseUrl);
  });
});
