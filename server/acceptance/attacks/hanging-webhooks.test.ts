import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { arrangeTenant, type Studio } from '../arrange.ts';
import { eventually } from '../eventually.ts';
import { accepted, call, type Answer } from '../http.ts';
import { startVictim, withstands } from './victim.ts';

const ENDPOINTS = 50;
const TESTS = 150;
const STUDIOS = 12;

const victim = await startVictim({ ALLOW_PRIVATE_ADDRESSES: 'on' });
const { url, honest } = victim;
let hanging = 0;
let most = 0;
let delivered = 0;
// Accepts deliveries and never responds.
const hangingUrl = await serveOnLoopback((_request, response) => {
  most = Math.max(most, ++hanging);
  response.on('close', () => hanging--);
});
const honestUrl = await serveOnLoopback((_request, response) => {
  delivered++;
  response.writeHead(204).end();
});

const webhooksOf = ({ workspaceId }: Studio) => `${url}/api/workspaces/${workspaceId}/webhooks`;
const createWebhook = async (studio: Studio, target: string): Promise<string> =>
  (await accepted('POST', webhooksOf(studio), { body: { url: target }, bearer: studio.accessToken })).id;
const testWebhook = (studio: Studio, id: string) =>
  call('POST', `${webhooksOf(studio)}/${id}/test`, { bearer: studio.accessToken });

describe('50 webhooks of one workspace with receivers that never respond', () => {
  test('do not delay deliveries of another workspace, and their test deliveries are rate limited', async (t) => {
    const hostile = await arrangeTenant(url);
    const hooks = await Promise.all(
      Array.from({ length: ENDPOINTS }, (_, number) => createWebhook(hostile, `${hangingUrl}/${number}`)),
    );
    const honestHook = await createWebhook(honest, honestUrl);
    await withstands(t, victim, async () => {
      const answers: Answer[] = [];
      for (let number = 0; number < TESTS; number++)
        answers.push(await testWebhook(hostile, hooks[number % ENDPOINTS] ?? ''));
      const statuses = new Set(answers.map(({ status }) => status));
      assert.deepEqual([...statuses].toSorted(), [202, 429]);
      assert.equal(answers.filter(({ status }) => status === 202).length, 120);
      for (const { status, headers } of answers)
        if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
      await eventually(() => hanging >= 32);
      assert.equal((await testWebhook(honest, honestHook)).status, 202);
      await eventually(() => delivered === 1);
    });
    assert.ok(most <= 32, `one workspace holds 32 places of a worker, not ${most}`);
  });
});

describe('receivers of 12 workspaces that never respond', () => {
  test('leave free places for a delivery of another workspace', async () => {
    for (let studio = 0; studio < STUDIOS; studio++) {
      const hostile = await arrangeTenant(url);
      for (let hook = 0; hook < 4; hook++) {
        const id = await createWebhook(hostile, `${hangingUrl}/${hook}`);
        for (let number = 0; number < 8; number++) assert.equal((await testWebhook(hostile, id)).status, 202);
      }
    }
    const honestHook = await createWebhook(honest, honestUrl);
    const before = delivered;
    const sentAt = performance.now();
    assert.equal((await testWebhook(honest, honestHook)).status, 202);
    await eventually(() => delivered > before);
    const seconds = (performance.now() - sentAt) / 1000;
    assert.ok(seconds < 5, `the delivery took ${seconds} seconds`);
  });
});

async function serveOnLoopback(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
