import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import { createEventQueue, createPlayerClient, memoryStorage } from '../src/index.ts';
import { arrangeGame, countEvents } from './game.ts';

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());

test('the queues of two games in one storage send the events of their own game only', async (context) => {
  const storage = memoryStorage();
  const [first, second] = [await arrangeGame(app), await arrangeGame(app)];
  const open = ({ gameKey }: typeof first) => {
    const client = createPlayerClient({ baseUrl: proxy.url, gameKey, storage });
    const queue = createEventQueue(client, { storage, backOff: { firstMs: 10, longestMs: 50 } });
    context.after(() => queue.close());
    return { client, queue };
  };
  const mock = { provider: 'Mock', token: 'mock:ada:secret' } as const;

  const one = open(first);
  await one.client.signIn.withProvider(mock);
  proxy.plan([{ match: 'POST /api/game/player-events', action: 'cut', times: 1_000 }]);
  for (const value of [1, 2, 3]) await one.queue.addPlayerEvent({ eventKey: 'jump', value });
  await one.queue.close();
  proxy.plan([]);

  const other = open(second);
  await other.client.signIn.withProvider(mock);
  await other.queue.addPlayerEvent({ eventKey: 'jump', value: 4 });
  const { waiting, stored, refused } = await other.queue.flush();
  assert.deepEqual({ waiting, stored, refused }, { waiting: 0, stored: 1, refused: 0 });
  assert.equal((await countEvents(app.owner, first.tenantId)).rows, 0);

  const again = open(first);
  assert.equal((await again.queue.flush()).stored, 3);
  assert.equal((await countEvents(app.owner, first.tenantId)).rows, 3);
  assert.equal((await countEvents(app.owner, second.tenantId)).rows, 1);
});
