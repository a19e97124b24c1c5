import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { arrangePlayer } from '../../server/src/testing/arrange.ts';
import { startStudio } from './browser.ts';

const studio = await startStudio();
const ada = await arrangePlayer(studio.app, studio.tenant, 'ada');
await studio.app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [
  studio.tenant.tenantId,
]);

let count = 0;
/** Sends player events that occur now. */
async function send(...events: { eventKey: string; value?: number | string }[]): Promise<void> {
  const body = events.map((event) => ({
    ...event,
    playerId: ada.playerId,
    occurredAt: new Date().toISOString(),
    idempotencyKey: `event-${++count}`,
  }));
  const { status, text } = await studio.app.http.post(
    '/api/game/player-events',
    { events: body },
    ada.caller,
  );
  assert.equal(status, 201, text);
}

await send({ eventKey: 'jump' }, { eventKey: 'level_completed', value: '9223372036854775807' });

describe('events', () => {
  test('filters by key and player, in the URL', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    await page.getByLabel('Event key').fill('level_completed');
    await page.waitForURL('**eventKey=level_completed**');
    await page.getByRole('cell', { name: 'jump' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'level_completed' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open the player' }).click();
    await page.waitForURL(`**/players/${ada.playerId}`);
  });

  test('shows all digits of a 64-bit value', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&eventKey=level_completed`);
    await page.getByRole('cell', { name: '9,223,372,036,854,775,807' }).waitFor();
  });

  test('offers a command with the key of the game if there are no events', async () => {
    const page = await studio.open(`${studio.game}/events`);
    await page.getByText('Nothing in this time.').waitFor();
    const command = page.getByRole('region', { name: 'curl command' });
    await command.getByText(`X-Game-Key: ${studio.tenant.gameKey.slice(0, 14)}`).waitFor();
    await command.getByText('/api/game/match-events').waitFor();
    await page.getByLabel('Event key').fill('never-sent');
    await page.getByRole('heading', { name: 'No event matches' }).waitFor();
  });

  test('shows new events by itself while the live tail is on', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&live=true`);
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    await send({ eventKey: 'arrived_live' });
    await page.getByRole('cell', { name: 'arrived_live' }).waitFor();
  });

  test('counts events over time as a chart and as a table', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    await page.getByRole('img', { name: /^Events per minute: .*jump from 0 to 1/ }).waitFor();
    await page.getByRole('button', { name: 'View as table' }).click();
    await page.getByRole('columnheader', { name: 'jump' }).waitFor();
  });

  test('says that the next page failed, and loads it when the reader asks for it', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    const asked: string[] = [];
    await page.route('**/events?*limit=200*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      if (cursor === null) {
        const answer = await route.fetch();
        const first = await answer.json();
        return route.fulfill({ json: { ...first, hasMore: true, nextCursor: 'next' } });
      }
      asked.push(cursor);
      if (asked.length > 1) return route.fulfill({ json: { items: [], hasMore: false } });
      const problem = { type: 'about:blank', title: 'Too many', status: 429, code: 'rate_limited' };
      return route.fulfill({
        status: 429,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...problem, detail: 'Send fewer requests.' }),
      });
    });
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'More rows of Events could not be loaded' });
    await alert.getByText('Send fewer requests.').waitFor();
    // A loop of requests would send the next one at once.
    await page.getByRole('cell', { name: 'jump' }).first().waitFor();
    assert.equal(asked.length, 1);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    assert.equal(asked.length, 2);
  });

  test('says that archived events cannot be read', async () => {
    const { tenantId } = studio.tenant;
    await studio.app.owner.query(
      `INSERT INTO event_archives (tenant_id, scope, month, part, rows, bytes, first_at, last_at, manifest_hash, archived_at)
       SELECT $1, 'match', date_trunc('month', at)::date, 1, 1, 1, at, at, '\\x00', now()
       FROM (SELECT now() - interval '20 days' AS at) event`,
      [tenantId],
    );
    const page = await studio.open(`${studio.game}/events?scope=match&range=30d`);
    await page.getByText('Events could not be loaded').waitFor();
    await page
      .getByText(/archive/)
      .first()
      .waitFor();
    await studio.app.owner.query('DELETE FROM event_archives WHERE tenant_id = $1', [tenantId]);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).last().click();
    await page.getByText('No events in this time').waitFor();
  });

  test('exports the filtered events as CSV', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&eventKey=jump`);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'As CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1]!, /jump/);
  });
});
