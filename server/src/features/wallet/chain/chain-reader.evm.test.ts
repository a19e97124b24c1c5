import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toHex, zeroHash } from 'viem';
import { arrangeChainDeployment } from '../../../testing/chain-deployment.ts';
import { startTestChain } from '../../../testing/chain.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { createChainReader } from './chain-reader.ts';

const deployment = await arrangeChainDeployment(await startTestChain());
const { tenantId } = await deployment.tenant();

/** A reader of a node that returns zero for each call, or another result. */
async function startReader(result: string = zeroHash) {
  const asked = { count: 0 };
  const url = await serveOnLoopback((_request, response) => {
    asked.count++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });
  const reader = createChainReader(deployment.database, url, deployment.chain.writer, 1);
  return { asked, find: (name: number) => reader.findPlayer(tenantId, 'name', toHex(name, { size: 32 })) };
}

describe('createChainReader', () => {
  test('asks the node once for the same data of a block', async () => {
    const { asked, find } = await startReader();
    const found = await Promise.all(Array.from({ length: 50 }, () => find(1)));
    assert.deepEqual(new Set(found), new Set([0]));
    assert.equal(await find(1), 0);
    assert.equal(asked.count, 1);
  });

  test('returns undefined without a request above the number of reads in a second', async () => {
    const { asked, find } = await startReader();
    const startedAt = performance.now();
    const found = await Promise.all(Array.from({ length: 100 }, (_, name) => find(name)));
    const allowed = 20 * Math.ceil((performance.now() - startedAt) / 1000);
    assert.ok(asked.count >= 20 && asked.count <= allowed, `${asked.count} of ${allowed}`);
    // On a busy machine, a request can reach its time limit too.
    assert.ok(found.filter((index) => index === undefined).length >= 100 - asked.count);
  });

  test('returns undefined for results that are not of the contract', async () => {
    for (const result of ['0x', '0x01', 'nonsense']) {
      const { find } = await startReader(result);
      assert.equal(await find(1), undefined, result);
    }
  });
});
