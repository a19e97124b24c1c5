import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';

const DEFAULTS = {
  default_transaction_isolation: `'repeatable read'`,
  search_path: 'pg_temp',
  row_security: 'off',
};

describe('a database whose sessions have other defaults', () => {
  for (const [name, value] of Object.entries(DEFAULTS))
    test(`serves players (${name} = ${value})`, async () => {
      const arranged = await startTestApp();
      const { owner, databaseUrl } = arranged;
      const tenant = await arrangeTenant(arranged, { autoCreate: true });
      await owner.query(`ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET ${name} = ${value}`);

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
      ]);
      for (const { status, text } of answers) assert.ok(status < 300, `${status} ${text}`);
    });
});
