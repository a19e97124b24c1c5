import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { assertAccessible, becomes, dialogCloses, startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;
const workspace = `/workspaces/${tenant.workspaceId}`;
const ada = await arrangePlayer(app, tenant, 'ada');
const ben = await arrangePlayer(app, tenant, 'ben');
await app.owner.query(`UPDATE players SET display_name = 'Ada Lovelace' WHERE id = $1`, [ada.playerId]);
await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenant.tenantId]);
const { body: match } = await app.http.post(
  '/api/game/matches',
  { players: [{ playerId: ada.playerId }, { playerId: ben.playerId }], mode: 'duel' },
  { gameKey: tenant.gameKey },
);
const sent = await app.http.post(
  '/api/game/events',
  {
    events: [
      {
        matchSessionId: match.matchSessionId,
        matchPlayerId: match.players[0].matchPlayerId,
        eventKey: 'round_won',
        occurredAt: new Date().toISOString(),
        idempotencyKey: 'event-1',
      },
    ],
  },
  ada.caller,
);
assert.equal(sent.status, 201, sent.text);
const { rows: keys } = await app.owner.query(
  `UPDATE tenant_keys SET name = 'Build 7' WHERE tenant_id = $1 AND kind = 'game' RETURNING id`,
  [tenant.tenantId],
);
const keyId: string = keys[0].id;

async function sendEvent(player: typeof ada, eventKey: string): Promise<void> {
  const event = {
    playerId: player.playerId,
    eventKey,
    occurredAt: new Date().toISOString(),
    idempotencyKey: eventKey,
  };
  const { status, text } = await app.http.post('/api/game/player-events', { events: [event] }, player.caller);
  assert.equal(status, 201, text);
}

/** Collects the ids of each look-up of names from now on. */
function lookUpsOf(page: Page): string[][] {
  const lookUps: string[][] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/players/bulk')) lookUps.push(request.postDataJSON().playerIds);
  });
  return lookUps;
}

describe('a player', () => {
  test('has a name in the list of events, the id on hover, and a link in the event', async () => {
    const page = await studio.open(`${game}/events`, { role: 'viewer', permissions: ['clipboard-write'] });
    const row = page.getByRole('row', { name: /round_won/ });
    const player = row.getByRole('button', { name: 'Ada Lovelace: copy the id' });
    await player.waitFor();
    await assertAccessible(page, 'events with names');
    await player.hover();
    await page.getByRole('tooltip').filter({ hasText: ada.playerId }).waitFor();
    await player.click();
    await row.getByRole('button', { name: 'Ada Lovelace: copied' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);

    await row.getByRole('cell', { name: 'round_won' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.waitForURL(`**${game}/players/${ada.playerId}`);
  });

  test('has a name in the roster and the events of a match', async () => {
    const page = await studio.open(`${game}/matches/${match.matchSessionId}`, { role: 'viewer' });
    await page
      .getByRole('region', { name: 'Latest events' })
      .getByRole('button', { name: 'Ada Lovelace: copy the id' })
      .waitFor();
    const roster = page.getByRole('region', { name: 'Roster' });
    await roster.getByRole('link', { name: 'Ada Lovelace' }).hover();
    await page.getByRole('tooltip').filter({ hasText: ada.playerId }).waitFor();
    await roster.getByRole('link', { name: 'ben' }).click();
    await page.waitForURL(`**${game}/players/${ben.playerId}`);
  });

  test('has a name beyond the first page of players, and a merged profile has the name of the remaining one', async () => {
    const cam = await arrangePlayer(app, tenant, 'cam');
    await sendEvent(cam, 'cam_1');
    const merge = await app.http.post(
      '/api/player-profile/me/merge',
      {
        sourceProfileId: cam.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${cam.username}:secret`,
      },
      ben.caller,
    );
    assert.equal(merge.status, 200, merge.text);
    await sendEvent(ada, 'ada_1');
    await sendEvent(ada, 'ada_2');
    await app.owner.query(
      `WITH player AS (INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 100) RETURNING id)
       INSERT INTO tenant_access (tenant_id, player_id, search_name, first_seen_at, last_seen_at)
       SELECT $1, id, '', now(), now() + interval '1 day' FROM player`,
      [tenant.tenantId],
    );
    const page = await studio.open(game);
    const lookUps = lookUpsOf(page);
    await page.goto(`${game}/events?scope=player`);
    for (const [event, name] of [
      ['ada_1', 'Ada Lovelace'],
      ['ada_2', 'Ada Lovelace'],
      ['cam_1', 'ben'],
    ])
      await page
        .getByRole('row', { name: event! })
        .getByRole('button', { name: `${name}: copy the id` })
        .waitFor();
    assert.deepEqual(lookUps, [[ada.playerId, cam.playerId].toSorted()]);

    await page.getByRole('switch', { name: 'Live tail' }).click();
    await page.waitForURL('**live=true**');
    await page.getByRole('row', { name: 'ada_1' }).waitFor();
    const dan = await arrangePlayer(app, tenant, 'dan');
    await sendEvent(dan, 'dan_1');
    const row = page.getByRole('row', { name: 'dan_1' });
    await row.getByRole('button', { name: 'dan: copy the id' }).waitFor();
    assert.deepEqual(lookUps.slice(1), [[dan.playerId]]);
  });

  test('is looked up with 100 others at most, and keeps the id if the look-up fails', async () => {
    await app.owner.query(
      `INSERT INTO player_events (tenant_id, id, player_id, event_definitions_id, idempotency_key, occurred_at, created_at_gl, row_hash)
       SELECT tenant_id, gen_random_uuid(), access.player_id, event_definitions_id, gen_random_uuid(), occurred_at, created_at_gl, row_hash
       FROM tenant_access access
       JOIN LATERAL (SELECT * FROM player_events WHERE tenant_id = access.tenant_id LIMIT 1) event USING (tenant_id)
       WHERE tenant_id = $1 AND search_name = ''`,
      [tenant.tenantId],
    );
    const page = await studio.open(`${game}/settings`);
    const lookUps = lookUpsOf(page);
    await page.route('**/players/bulk', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(`${game}/events?scope=player&eventKey=ada_1`);
    const id = `${ada.playerId.slice(0, 6)}…${ada.playerId.slice(-6)}`;
    await page
      .getByRole('row', { name: 'ada_1' })
      .getByRole('button', { name: `${id}: copy` })
      .waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(lookUps, [[ada.playerId]]);

    await page.unroute('**/players/bulk');
    lookUps.length = 0;
    await page.goto(`${game}/events?scope=player`);
    await page.getByRole('row', { name: 'dan_1' }).getByRole('button', { name: 'dan: copy' }).waitFor();
    assert.deepEqual(
      lookUps.map(({ length }) => length),
      [100, 3],
    );
    assert.equal(new Set(lookUps.flat()).size, 103);
  });
});

describe('a key', () => {
  test('has a name in the list of alerts, and the id on hover', async () => {
    await app.owner.query(
      `INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
       VALUES ($1, gen_random_uuid(), $2, 'rate_spike', $3, 'game', 1, 2, now(), now())`,
      [tenant.tenantId, tenant.workspaceId, keyId],
    );
    const page = await studio.open(`${workspace}/alerts`, { role: 'viewer' });
    const key = page.getByRole('row', { name: /Tidewater/ }).getByRole('link', { name: 'Build 7' });
    await key.hover();
    await page.getByRole('tooltip').filter({ hasText: keyId }).waitFor();
  });

  test('has a name in the delivery of an alert, and so does its game', async () => {
    const owner = await arrangeAccount(app, tenant, 'owner');
    const created = await app.http.post(
      `/api${workspace}/webhooks`,
      { url: 'https://hooks.example.com' },
      owner,
    );
    const deliveryId = randomUUID();
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, status, next_attempt_at)
       VALUES ($1, $2, 'alert.rate_spike', $3, 'delivered', NULL)`,
      [
        deliveryId,
        created.body.id,
        JSON.stringify({ type: 'alert.rate_spike', data: { tenantId: tenant.tenantId, keyId } }),
      ],
    );
    const page = await studio.open(`${workspace}/webhooks/${created.body.id}?delivery=${deliveryId}`);
    const delivery = page.getByRole('dialog', { name: 'Delivery' });
    await delivery.getByRole('button', { name: 'Tidewater: copy the id' }).waitFor();
    await delivery.getByRole('button', { name: 'Build 7: copy the id' }).hover();
    await page.getByRole('tooltip').filter({ hasText: keyId }).waitFor();
  });
});

describe('records with the same name', () => {
  test('show the end of their ids in the game menu and in the choices of a game, and others do not', async () => {
    const twin = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const lone = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query(`UPDATE tenants SET name = 'Tidewater' WHERE id = $1`, [twin.tenantId]);
    await app.owner.query(`UPDATE tenants SET name = 'Undertow' WHERE id = $1`, [lone.tenantId]);
    const nameOf = ({ tenantId }: { tenantId: string }) => `Tidewater · …${tenantId.slice(-6)}`;
    const page = await studio.open(`${workspace}/alerts`);
    await page.getByRole('combobox', { name: 'Game' }).click();
    for (const name of [nameOf(tenant), nameOf(twin), 'Undertow'])
      await page.getByRole('option', { name, exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.goto(game);
    await page.getByRole('button', { name: `Game: ${nameOf(tenant)}` }).click();
    await page.getByRole('menuitem', { name: 'Undertow', exact: true }).waitFor();
    await page.getByRole('menuitem', { name: nameOf(twin), exact: true }).click();
    await page.waitForURL(`**/games/${twin.tenantId}`);
    await page.getByRole('button', { name: `Game: ${nameOf(twin)}` }).waitFor();
  });

  test('show the end of their ids in the menu of workspaces and in the choices of a payer', async () => {
    const twin = await arrangeTenant(app);
    await app.owner.query(`UPDATE workspaces SET name = 'Harbor Games' WHERE id = $1`, [twin.workspaceId]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) SELECT $1, id, 'admin' FROM accounts WHERE email = $2`,
      [twin.workspaceId, studio.owner.email],
    );
    const nameOf = ({ workspaceId }: { workspaceId: string }) => `Harbor Games · …${workspaceId.slice(-6)}`;
    const page = await studio.open(`${game}/keys`);
    await page.getByRole('button', { name: `Workspace: ${nameOf(tenant)}` }).click();
    await page.getByRole('menuitem', { name: nameOf(twin), exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create an API key' }).click();
    await page.getByRole('combobox', { name: 'Workspace that pays for the reads' }).click();
    await page.getByRole('option', { name: nameOf(twin), exact: true }).waitFor();
  });

  test('show the end of their ids in the search', async () => {
    const players = [await arrangePlayer(app, tenant, 'zoe-1'), await arrangePlayer(app, tenant, 'zoe-2')];
    await app.owner.query(`UPDATE players SET display_name = 'Zoe' WHERE id = ANY($1)`, [
      players.map(({ playerId }) => playerId),
    ]);
    const page = await studio.open(game);
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' }).fill('zoe');
    for (const { playerId } of players)
      await page.getByRole('option', { name: `Zoe · …${playerId.slice(-6)}` }).waitFor();
    await page.getByRole('option', { name: `…${players[1]!.playerId.slice(-6)}` }).click();
    await page.waitForURL(`**${game}/players/${players[1]!.playerId}`);
  });
});

/** Waits until the text of an element is inside of another element, so that nothing of it is cut off. */
const isInside = (text: Locator, frame: Locator): Promise<void> =>
  becomes(async () => {
    const { left, right } = await text.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect();
    });
    const box = (await frame.boundingBox())!;
    return left >= box.x && right <= box.x + box.width;
  }, true);

describe('a name of 128 characters without a space', () => {
  const LONG = 'Donaudampfschiff'.repeat(8);
  const RIGHT_TO_LEFT = 'مرحبا بكم في لعبة الميناء الكبير للاعبين الجدد';

  test('can be read in a question, a choice, a menu and on a page of a phone', async () => {
    await app.owner.query(`UPDATE tenant_keys SET name = $2 WHERE tenant_id = $1 AND kind = 'game'`, [
      tenant.tenantId,
      LONG,
    ]);
    const long = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query('UPDATE tenants SET name = $2 WHERE id = $1', [long.tenantId, LONG]);
    const rightToLeft = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query('UPDATE tenants SET name = $2 WHERE id = $1', [
      rightToLeft.tenantId,
      RIGHT_TO_LEFT,
    ]);
    const payer = await arrangeTenant(app);
    await app.owner.query('UPDATE workspaces SET name = $2 WHERE id = $1', [payer.workspaceId, LONG]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) SELECT $1, id, 'admin' FROM accounts WHERE email = $2`,
      [payer.workspaceId, studio.owner.email],
    );
    const admin = await arrangeAccount(app, tenant, 'admin');
    const ban = `/api/bus_tenants/${tenant.tenantId}/players/${ada.playerId}/ban`;
    assert.equal((await app.http.post(ban, { reason: LONG }, admin)).status, 201);

    const page = await studio.open(`${game}/keys`, { viewport: { width: 390, height: 800 } });
    await page.getByRole('button', { name: `Change the key ${LONG}` }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await isInside(dialog.locator('code'), dialog);
    await page.keyboard.press('Escape');
    await dialogCloses(page);

    await page.getByRole('button', { name: 'Create an API key' }).click();
    await page.getByRole('combobox', { name: 'Workspace that pays for the reads' }).click();
    await isInside(page.getByRole('option', { name: LONG }), page.getByRole('listbox'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialogCloses(page);

    await page.getByRole('button', { name: /^Game: Tidewater/ }).click();
    await isInside(page.getByRole('menuitem', { name: LONG }), page.getByRole('menu'));

    // A name that is written from right to left shows its beginning.
    await page.getByRole('menuitem', { name: RIGHT_TO_LEFT }).click();
    const name = page.getByRole('button', { name: `Game: ${RIGHT_TO_LEFT}` }).locator('span');
    await becomes(
      () =>
        name.evaluate((element) => {
          const range = document.createRange();
          range.setStart(element.firstChild!, 0);
          range.setEnd(element.firstChild!, 1);
          const [first, shown] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
          return first.left >= shown.left && first.right <= shown.right + 1;
        }),
      true,
    );

    await page.goto(`${game}/players/${ada.playerId}`);
    await isInside(page.getByText(`Reason: ${LONG}`), page.locator('main'));
  });
});
