import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addAnonymous, PASSWORD, somePart, walletPlayer } from '../../server/src/testing/wallet-recording.ts';
import {
  assertAccessible,
  becomes,
  countBecomes,
  failUntilTriedAgain,
  rowsBecome,
  startStudio,
} from './browser.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;

/** Adds a player, and records a session, a match and a score. */
async function arrangeLedger(playerId: string): Promise<void> {
  const added = await addAnonymous(app, tenant, { playerId });
  assert.equal(added.status, 200, added.text);
  const login = await app.http.post(
    '/api/Auth/wallet/login/password',
    { playerId, signInPassword: PASSWORD },
    { gameKey: tenant.gameKey },
  );
  const player = walletPlayer(app, login.body.accessToken);
  const { sessionId } = (await player.startSession({ device: 'PC', startTime: 1_795_230_000 })).body;
  const { matchSessionId } = (await player.startMatch({ level: 'Cave „1“' })).body;
  await player.endPart(somePart(matchSessionId));
  await player.endMatch({ matchSessionId });
  await player.setScore({ newScore: '9223372036854775807' });
  const ended = await player.endSession({ sessionId });
  assert.equal(ended.status, 200, ended.text);
}

const openLedger = async (query = ''): Promise<Page> => studio.open(`${game}/wallet${query}`);

/** Alters the ledger behind the back of the application, and restores it after the work. */
async function whileAltered(change: string, work: () => Promise<void>): Promise<void> {
  await app.owner.query('CREATE TABLE unaltered AS SELECT * FROM wallet_ledger_entries');
  await app.owner.query(change, [tenant.tenantId]);
  try {
    await work();
  } finally {
    await app.owner.query('DELETE FROM wallet_ledger_entries');
    await app.owner.query('INSERT INTO wallet_ledger_entries SELECT * FROM unaltered');
    await app.owner.query('DROP TABLE unaltered');
  }
}

const verify = (page: Page) => page.getByRole('button', { name: 'Verify the ledger' }).click();

describe('the wallet ledger', () => {
  test('says how to record when it is empty', async () => {
    const page = await openLedger();
    await page.getByRole('heading', { name: 'No entries yet' }).waitFor();
    await countBecomes(page.getByRole('button', { name: 'Verify the ledger' }), 0);
    await page.getByText('players/add/anon').waitFor();
    await countBecomes(page.getByRole('combobox', { name: 'Kind' }), 0);
  });

  test('lists entries, filters them and opens one with its hash link', async () => {
    await arrangeLedger('ada');
    await arrangeLedger('ben');
    const page = await openLedger();
    await page.getByText('14 entries in a chain of hashes').waitFor();
    await page
      .getByRole('row', { name: /Score 9223372036854775807/ })
      .getByRole('cell', { name: '2 · ben' })
      .waitFor();

    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Match started' }).click();
    await page.waitForURL('**/wallet?kind=match.started');
    await page.getByRole('cell', { name: 'Match 1 · Cave „1“' }).waitFor();
    await rowsBecome(page, 2);

    await page.getByLabel('Player number').fill('2');
    await rowsBecome(page, 1);
    await page.getByRole('link', { name: '10', exact: true }).click();
    await page.waitForURL('**entry=10');
    const drawer = page.getByRole('dialog', { name: 'Entry 10' });
    await drawer.getByText('2 · ben').waitFor();
    await drawer.getByText('Hashes match').waitFor();
    await assertAccessible(page, 'an entry');
    await drawer.getByRole('link', { name: 'Entry 9', exact: true }).click();
    await page.getByRole('dialog', { name: 'Entry 9' }).getByText('Session started').waitFor();
    // Other entries of the panel are no steps back.
    await page.goBack();
    await page.waitForURL('**/wallet?kind=match.started&player=2');
    await page.goForward();
    await page.getByRole('dialog', { name: 'Entry 9' }).getByRole('link', { name: '2 · ben' }).click();
    await page.waitForURL('**/wallet?player=2');
    await rowsBecome(page, 7);
  });

  test('says that an entry is not checked while the entry before cannot be loaded', async () => {
    const page = await openLedger();
    await failUntilTriedAgain(page, '**/wallet-entries?*cursor=8*');
    await page.getByRole('link', { name: '10', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Entry 10' });
    await drawer.getByRole('heading', { name: 'The entry before could not be loaded' }).waitFor();
    await drawer.getByText('Not checked').waitFor();
    await countBecomes(drawer.getByText('Hashes match'), 0);
    await drawer.getByRole('button', { name: 'Try again' }).click();
    await drawer.getByText('Hashes match').waitFor();
  });

  test('finds an entry by the hash of its transaction', async () => {
    const { rows } = await app.owner.query(
      `SELECT encode(transaction_hash, 'hex') AS hash FROM wallet_ledger_entries
       WHERE tenant_id = $1 AND entry_index = 6`,
      [tenant.tenantId],
    );
    const page = await openLedger(`?transaction=0x${rows[0].hash}`);
    await page.getByRole('link', { name: '6', exact: true }).waitFor();
    await page.getByRole('cell', { name: '1 · ada' }).waitFor();
    await rowsBecome(page, 1);
    for (const filter of [
      'transaction=0x12',
      `transaction=0x${rows[0].hash}&kind=match.started`,
      `transaction=0x${rows[0].hash}&player=2`,
      'player=ada',
    ]) {
      await page.goto(`${game}/wallet?${filter}`);
      await page.getByRole('heading', { name: 'No entry matches the filters' }).waitFor();
    }
  });

  test('verifies the ledger in the browser, even against a saved head', async () => {
    const page = await openLedger();
    await verify(page);
    await page.getByRole('status').getByText('All 14 entries are unaltered, and none is missing.').waitFor();
    await assertAccessible(page, 'a verified ledger');
    const { rows } = await app.owner.query(
      `SELECT encode(hash, 'hex') AS hash FROM wallet_ledger_entries WHERE tenant_id = $1 AND entry_index = 9`,
      [tenant.tenantId],
    );
    const head = page.getByLabel('Saved head');
    await head.fill(`9:0x${rows[0].hash}`);
    await page.getByRole('button', { name: 'Verify with this head' }).click();
    await page.getByText('All 14 entries are unaltered').waitFor();
    await head.fill(`9:0x${'ab'.repeat(32)}`);
    await page.getByRole('button', { name: 'Verify with this head' }).click();
    await page.getByText('Entry 9 had another hash when the head was saved.').waitFor();
    await head.fill('9');
    await page.getByText('A head is an index, a colon').waitFor();
  });

  const ALTERATIONS: [change: string, message: string][] = [
    [
      `UPDATE wallet_ledger_entries SET body = '{"score":"7"}' WHERE tenant_id = $1 AND entry_index = 6`,
      'Entry 6 was altered: its content does not match its content hash.',
    ],
    [
      `UPDATE wallet_ledger_entries SET recorded_at = recorded_at - interval '1 microsecond'
       WHERE tenant_id = $1 AND entry_index = 3`,
      'Entry 3 was altered: its content does not match its content hash.',
    ],
    [
      `UPDATE wallet_ledger_entries SET hash = content_hash WHERE tenant_id = $1 AND entry_index = 4`,
      'Entry 4 was altered: its hashes do not match.',
    ],
    [
      `DELETE FROM wallet_ledger_entries WHERE tenant_id = $1 AND entry_index = 5`,
      'Entry 6 comes after a gap: entry 5 is missing.',
    ],
    [
      `DELETE FROM wallet_ledger_entries WHERE tenant_id = $1 AND entry_index > 12`,
      'Entry 13 is missing. The ledger has 14.',
    ],
  ];
  for (const [change, message] of ALTERATIONS)
    test(`names the first broken entry: ${message}`, async () => {
      await whileAltered(change, async () => {
        const page = await openLedger();
        await verify(page);
        await page.getByRole('alert').getByText(message).waitFor();
      });
    });

  test('marks a single altered entry', async () => {
    await whileAltered(ALTERATIONS[0]![0], async () => {
      const page = await openLedger('?entry=6');
      await page.getByText('Hashes do not match').waitFor();
    });
  });

  test('shows progress, and stops when the reader asks', async () => {
    const page = await openLedger();
    await page.route('**/wallet-entries?**order=oldest**limit=1000**', () => {});
    await verify(page);
    const progress = 'Computing the hashes again: 0 of 0 entries';
    await page.getByText(progress).waitFor();
    // Screen readers would read each step.
    await countBecomes(
      page.locator('[aria-live], [role=status], [role=alert]').filter({ hasText: progress }),
      0,
    );
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Verify the ledger', disabled: false }).waitFor();
  });

  test('reads a long list once, although the reader comes back to it', async () => {
    const page = await studio.open(game);
    let requests = 0;
    const isList = (url: URL) =>
      url.pathname.endsWith('/wallet-entries') && url.searchParams.get('limit') === '100';
    await page.route(isList, async (route) => {
      requests++;
      const first = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 1_000);
      const answer = await (await route.fetch()).json();
      const items = Array.from({ length: 100 }, (_, row) => ({ ...answer.items[0], index: first - row }));
      await route.fulfill({ json: { ...answer, items, nextCursor: first > 400 ? first - 100 : undefined } });
    });
    await page.getByRole('link', { name: 'Wallet ledger' }).click();
    const scroller = page.getByRole('region', { name: 'Wallet ledger' });
    await becomes(async () => {
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return page.getByRole('link', { name: '301', exact: true }).isVisible();
    }, true);
    assert.equal(requests, 7);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate(() => globalThis.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('link', { name: 'Matches', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Matches', exact: true }).waitFor();
    assert.equal(requests, 7);
    await page.goBack();
    await scroller.locator('tr[data-row]').first().waitFor();
    assert.equal(requests, 7);
    // The clock of the context stands still.
    await page.context().close();
  });

  test('shows an error of the server with its request and verifies again', async () => {
    const page = await openLedger();
    await page.getByText('14 entries').waitFor();
    await page.route('**/wallet-entries?**order=oldest**', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'invalid', detail: 'It failed.', requestId: 'request-1', status: 400 }),
      }),
    );
    await verify(page);
    await page.getByText('It failed.').waitFor();
    await page.unroute('**/wallet-entries?**order=oldest**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('All 14 entries are unaltered').waitFor();
  });

  test('checks an entry although the entry before was recorded after somebody looked for it', async () => {
    const page = await openLedger('?entry=14');
    await page.getByRole('dialog', { name: 'Entry 14' }).getByText('Newest entry').waitFor();
    await arrangeLedger('cyd');
    await page.keyboard.press('Escape');
    await page.getByLabel('Player number').fill('3');
    await page.getByRole('link', { name: '16', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Entry 16' });
    await drawer.getByText('Hashes match').or(drawer.getByText('Hashes do not match')).waitFor();
    await countBecomes(drawer.getByText('Hashes match'), 1);
    await countBecomes(drawer.getByRole('alert'), 0);
  });
});
