import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { deliver } from '../conformance/deliver.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import { arrangeGame, countEvents } from './game.ts';

/** `npm run test:delivery` sends a million events in each of ten seeds. */
const IS_LONG = process.env['GUILDHALL_LONG_DELIVERY'] === 'on';
const EVENTS = IS_LONG ? 1_000_000 : 20_000;
const SEEDS = IS_LONG ? 10 : 1;
/** The long form prints a line for each of these steps. */
const STEP = 100_000;

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());

describe('events from Node, over a bad network and with kills of the sender', () => {
  for (let seed = 1; seed <= SEEDS; seed++)
    test(
      `stores each of ${EVENTS} events exactly once (seed ${seed})`,
      { timeout: 3_600_000 },
      async (context) => {
        const { gameKey, tenantId } = await arrangeGame(app);
        const startedAt = performance.now();
        const onProgress = (accepted: number) => {
          if (!IS_LONG || accepted % STEP !== 0) return;
          const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
          console.log(`seed ${seed} of ${SEEDS}: ${accepted} of ${EVENTS} events added after ${seconds} s`);
        };
        const report = await deliver({ proxy, gameKey, events: EVENTS, seed, kills: 5, onProgress });
        const stored = await countEvents(app.owner, tenantId);
        context.diagnostic(JSON.stringify({ ...stored, ...report }));
        assert.deepEqual(stored, { rows: EVENTS, distinct: EVENTS });
        assert.ok(report.kills > 0);
        for (const fault of ['cut', 'drop_answer', 'cut_answer', 'answer_503'])
          assert.ok(report.faults[fault]! > 0, fault);
      },
    );

  test('loses events without their storage, so this test can fail', async () => {
    const { gameKey, tenantId } = await arrangeGame(app);
    await deliver({ proxy, gameKey, events: 5_000, seed: 1, kills: 3, keepsEvents: false });
    const { distinct } = await countEvents(app.owner, tenantId);
    assert.ok(distinct < 5_000, `${distinct} events`);
  });

  test('doubles events without the deduplication of the server, so this test can fail', async () => {
    const { gameKey, tenantId } = await arrangeGame(app);
    let request = 0;
    // Each request names its events anew, so that the server knows none of them.
    proxy.rewrite((body) => {
      request++;
      return body.replaceAll('"idempotencyKey":"', `"idempotencyKey":"${request}-`);
    });
    await deliver({ proxy, gameKey, events: 20_000, seed: 1, kills: 1 });
    proxy.rewrite(undefined);
    const { rows, distinct } = await countEvents(app.owner, tenantId);
    assert.equal(distinct, 20_000);
    assert.ok(rows > distinct, `${rows} rows of ${distinct} events`);
  });
});
