import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toHex, type Hex } from 'viem';
import { OperatorError } from '../../../core/operator-error.ts';
import { richKeys, startEvmNode, type EvmNode } from '../../../testing/evm-node.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { deployContract } from './index.ts';

const settings = { signerKey: richKeys[0], feeLimit: 500_000_000_000 };

interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

/** Serves a node whose answers a test can change: to a failure, or to another result. */
async function serveThrough(
  node: EvmNode,
  change: (call: RpcCall) => Promise<'fails' | { result: string } | undefined>,
): Promise<string> {
  return serveOnLoopback((request, response) => {
    void (async () => {
      const body = (await Array.fromAsync(request as AsyncIterable<Buffer>)).join('');
      const call = JSON.parse(body) as RpcCall;
      const changed = await change(call);
      if (changed === 'fails') return void response.writeHead(503).end();
      const headers = { 'content-type': 'application/json' };
      const answer = changed
        ? JSON.stringify({ jsonrpc: '2.0', id: call.id, ...changed })
        : await (await fetch(node.url, { method: 'POST', headers, body })).text();
      response.writeHead(200, headers).end(answer);
    })();
  });
}

describe('the deployment of the contract', () => {
  test('continues while the node fails after it has taken the transaction', async () => {
    const node = await startEvmNode();
    let failures = 0;
    const rpcUrl = await serveThrough(node, async ({ method, params }) => {
      if (method === 'eth_sendRawTransaction') {
        await node.ask(method, ...params);
        return 'fails';
      }
      return method === 'eth_getTransactionReceipt' && failures++ < 2 ? 'fails' : undefined;
    });
    const sent: string[] = [];
    const onSent = (...named: string[]) => sent.push(...named);
    const { contract, writer, hash } = await deployContract({ ...settings, rpcUrl }, { onSent });
    assert.deepEqual(sent, [hash, contract]);
    assert.notEqual(await node.ask<Hex>('eth_getCode', contract, 'latest'), '0x');
    assert.equal(await node.ask('eth_getTransactionCount', writer, 'latest'), '0x1');
    assert.equal(failures, 3);
  });

  test('says that the chain has refused the transaction', async () => {
    const node = await startEvmNode();
    // Half of the gas is not enough to store the code.
    const rpcUrl = await serveThrough(node, async ({ method, params }) =>
      method === 'eth_estimateGas'
        ? { result: toHex(BigInt(await node.ask<Hex>(method, ...params)) / 2n) }
        : undefined,
    );
    await assert.rejects(
      deployContract({ ...settings, rpcUrl }),
      (error) => error instanceof OperatorError && /has refused the transaction 0x/.test(error.message),
    );
  });
});
