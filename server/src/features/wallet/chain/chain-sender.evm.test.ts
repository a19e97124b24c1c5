import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { parseEther, parseTransaction, toHex, type Hex } from 'viem';
import { startTestChain, type TestChain } from '../../../testing/chain.ts';
import { arrangeChainDeployment, countPooled, temporaryFolder } from '../../../testing/chain-deployment.ts';
import { eventually } from '../../../testing/eventually.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { createChainNode } from './chain-node.ts';
import { ChainStalledError } from './contract-faults.ts';
import { openChain } from './index.ts';
import { createOutboxSender } from './outbox-sender.ts';
import { findFirstHash } from './queries.ts';

describe('chain sender', () => {
  test('sends enqueued entries once, in order, until they are confirmed', async () => {
    const deployment = await arrangeChainDeployment(await startTestChain());
    const [one, other] = [await deployment.tenant(), await deployment.tenant()];
    const hash = await deployment.record(one, 3);
    assert.deepEqual(await deployment.transactionStatus(hash), {
      state: 'pending',
      blockNumber: null,
      confirmations: 0,
      minedHash: null,
    });
    for (let count = 0; count < 10; count++) await deployment.record(count % 2 ? one : other);
    deployment.startSender();
    await deployment.settled();
    const status = await deployment.transactionStatus(hash);
    assert.deepEqual([status?.state, status?.minedHash], ['confirmed', hash]);
    await deployment.record(one);
    await deployment.settled();
  });

  test('reports a call as mined, and as confirmed after enough blocks', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain, { confirmations: 3 });
    const hash = await deployment.record(await deployment.tenant());
    deployment.startSender();
    await eventually(async () => (await deployment.transactionStatus(hash))?.state === 'mined');
    assert.equal((await deployment.transactionStatus(hash))?.confirmations, 1);
    await chain.node.ask('evm_mine');
    await eventually(async () => (await deployment.transactionStatus(hash))?.confirmations === 2);
    assert.equal((await deployment.transactionStatus(hash))?.state, 'mined');
    await chain.node.ask('evm_mine');
    await eventually(async () => (await deployment.transactionStatus(hash))?.state === 'confirmed');
  });

  test('keeps calls while the node is unavailable, and sends them afterwards', async (context) => {
    const chain = await startTestChain({ state: join(await temporaryFolder(context), 'state') });
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    deployment.startSender();
    await deployment.record(tenant);
    await deployment.settled();
    await chain.node.saved();
    await chain.node.kill();
    for (let count = 0; count < 100; count++) await deployment.record(tenant);
    await eventually(async () => /does not respond/.test((await deployment.writerStatus()).problem ?? ''));
    await chain.node.start();
    await deployment.settled();
    assert.equal((await deployment.writerStatus()).problem, null);
    const warnings = deployment.log.filter((line) => line.includes('no transaction is sent to the chain'));
    assert.equal(warnings.length, 1);
  });

  test('loses and duplicates nothing when the node is killed repeatedly under load', async (context) => {
    // Between two blocks, transactions are only in the node's memory, so a killed node loses them.
    const state = join(await temporaryFolder(context), 'state');
    const chain = await startTestChain({ state, options: ['--block-time', '1'] });
    const deployment = await arrangeChainDeployment(chain);
    await chain.node.saved();
    const tenants = [await deployment.tenant(), await deployment.tenant()];
    deployment.startSender();
    let writing = true;
    const load = tenants.map(async (tenant) => {
      while (writing) {
        await deployment.record(tenant, 2);
        await sleep(15);
      }
    });
    for (let round = 0; round < 4; round++) {
      await sleep(300 + 400 * Math.random());
      await chain.node.kill();
      await sleep(100);
      await chain.node.start();
    }
    writing = false;
    await Promise.all(load);
    await deployment.settled();
  });

  test('assigns nonces without gaps or duplicates when several processes write and send', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const others = await Promise.all([1, 2].map(() => openChain(deployment.database, chain.settings)));
    for (const each of [deployment.chain, ...others]) deployment.startSender(each);
    const tenants = await Promise.all([1, 2, 3].map(() => deployment.tenant()));
    await Promise.all(
      tenants.map(async (tenant, index) => {
        for (let count = 0; count < 30; count++)
          await deployment.record(tenant, 1, [deployment.chain, ...others][index]);
      }),
    );
    await deployment.settled();
    const { rows } = await deployment.app.owner.query(
      'SELECT count(DISTINCT nonce)::int AS nonces, (max(nonce) - min(nonce) + 1)::int AS span, count(*)::int AS attempts FROM chain_attempts',
    );
    assert.deepEqual(rows, [{ nonces: 90, span: 90, attempts: 90 }]);
  });

  test('takes over when another sender stops', async () => {
    const deployment = await arrangeChainDeployment(await startTestChain());
    const tenant = await deployment.tenant();
    const first = deployment.startSender();
    deployment.startSender();
    await deployment.record(tenant);
    await deployment.settled();
    await first.stop();
    await deployment.record(tenant);
    await deployment.settled();
  });
});

describe('check of the contract', () => {
  test('blames the contract for a revert only, and the node for other errors', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    await deployment.record(await deployment.tenant());
    for (const [message, problem] of [
      ['header not found', /returns an error: header not found/],
      ['execution reverted', /is not a Guildhall ledger/],
    ] as const) {
      const url = await startNodeBefore(chain, { eth_call: () => ({ error: { code: -32000, message } }) });
      const sender = deployment.startSender({ ...deployment.chain, node: createChainNode(url) });
      await eventually(async () => problem.test((await deployment.writerStatus()).problem ?? ''));
      await sender.stop();
    }
    deployment.startSender();
    await deployment.settled();
  });
});

describe('fees of the chain sender', () => {
  test('are raised with the same nonce when the base fee rises, and both hashes are found', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    await chain.node.ask('evm_setAutomine', false);
    const hashes = [await deployment.record(tenant), await deployment.record(tenant)];
    deployment.startSender();
    await eventually(async () => (await countPooled(chain)) === 2);
    const { baseFee } = await deployment.writerStatus();
    await chain.node.ask('anvil_setNextBlockBaseFeePerGas', toHex(BigInt(baseFee) * 50n));
    await chain.node.ask('evm_mine');
    assert.equal(
      (await deployment.transactionStatus(hashes[0]!))?.state,
      'pending',
      'the base fee of the block was too high',
    );
    await eventually(() => hashes.every((hash) => deployment.log.some((line) => isRaise(line, hash))));
    await eventually(async () => {
      await chain.node.ask('evm_mine');
      return (await deployment.writerStatus()).waiting === 0;
    });
    await deployment.settled();
    for (const hash of hashes) {
      const status = await deployment.transactionStatus(hash);
      assert.notEqual(status?.minedHash, hash);
      assert.deepEqual(
        await deployment.transactionStatus(status!.minedHash!),
        status,
        'the hash in the block finds it too',
      );
      assert.equal(await findFirstHash(deployment.database, status!.minedHash!), hash);
    }
    const { rows } = await deployment.app.owner.query(
      'SELECT position, count(DISTINCT nonce)::int AS nonces FROM chain_attempts GROUP BY position',
    );
    assert.ok(rows.every(({ nonces }) => nonces === 1));
  });

  test('are raised for a stuck transaction up to the limit, then reported', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain, { feeLimit: 8_000_000_000 });
    const lazy = await startLazyNode(chain);
    const hash = await deployment.record(await deployment.tenant());
    const sender = deployment.startSender({ ...deployment.chain, node: createChainNode(lazy.url) });
    const feesOfLast = () => Number(parseTransaction(lazy.taken.at(-1)!).maxFeePerGas);
    await eventually(() => lazy.taken.length === 1);
    // A node replaces a transaction if the fee is 10 % higher.
    for (let sent = 1; feesOfLast() * 1.1 <= 8_000_000_000; sent++) {
      await chain.node.ask('anvil_mine', toHex(10));
      await eventually(() => lazy.taken.length === sent + 1);
    }
    const sent = lazy.taken.length;
    await chain.node.ask('anvil_mine', toHex(10));
    await eventually(async () => AT_LIMIT.test((await deployment.writerStatus()).problem ?? ''));
    await sender.stop();
    const nonces = new Set(lazy.taken.map((signed) => parseTransaction(signed).nonce));
    assert.deepEqual([nonces.size, lazy.taken.length], [1, sent], 'one nonce, and no fee above the limit');
    deployment.startSender();
    await deployment.settled();
    assert.equal((await deployment.transactionStatus(hash))?.state, 'confirmed');
  });

  test('have a limit, even when the node suggests more', async () => {
    const chain = await startTestChain();
    const feeLimit = 20_000_000_000;
    const deployment = await arrangeChainDeployment(chain, { feeLimit });
    const { node, writer } = deployment.chain;
    const greedy = await startNodeBefore(chain, greedyFee);
    deployment.startSender({ ...deployment.chain, node: createChainNode(greedy) });
    await eventually(async () => (await deployment.writerStatus()).priorityFee === GREEDY_FEE);
    const before = await node.balance(writer.signer);
    await deployment.record(await deployment.tenant());
    await deployment.settled();
    assert.ok(before - (await node.balance(writer.signer)) <= 200_000n * BigInt(feeLimit));
  });

  test('are lowered when the signer cannot pay for those of a wrong answer', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    await chain.node.ask('anvil_setBalance', deployment.chain.writer.signer, toHex(parseEther('0.01')));
    const greedy = await startNodeBefore(chain, greedyFee);
    const sender = deployment.startSender({ ...deployment.chain, node: createChainNode(greedy) });
    await eventually(async () => (await deployment.writerStatus()).priorityFee === GREEDY_FEE);
    await deployment.record(tenant);
    await deployment.record(tenant);
    await eventually(async () => /send funds/.test((await deployment.writerStatus()).problem ?? ''));
    await sender.stop();
    deployment.startSender();
    await deployment.settled();
    assert.equal((await deployment.writerStatus()).problem, null);
  });

  test('are lowered when a transaction may cost more than the node accepts', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const feeCap = {
      eth_sendRawTransaction: ([signed]: unknown[]) => {
        const { gas, maxFeePerGas } = parseTransaction(signed as `0x02${string}`);
        const message = 'tx fee (0.06 ether) exceeds the configured cap (0.01 ether)';
        return gas! * maxFeePerGas! > parseEther('0.01') ? { error: { code: -32000, message } } : undefined;
      },
    };
    const sendTo = async (answers: Parameters<typeof startNodeBefore>[1]) =>
      deployment.startSender({
        ...deployment.chain,
        node: createChainNode(await startNodeBefore(chain, answers)),
      });
    const sender = await sendTo({ ...greedyFee, ...feeCap });
    await eventually(async () => (await deployment.writerStatus()).priorityFee === GREEDY_FEE);
    await deployment.record(await deployment.tenant());
    await eventually(async () =>
      /exceeds the configured cap/.test((await deployment.writerStatus()).problem ?? ''),
    );
    await sender.stop();
    await sendTo(feeCap);
    await deployment.settled();
  });

  test('stay below the limit while the base fee is above it, and calls wait', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain, { feeLimit: 10_000_000_000 });
    const tenant = await deployment.tenant();
    await chain.node.ask('anvil_setNextBlockBaseFeePerGas', toHex(50_000_000_000));
    await chain.node.ask('evm_mine');
    const hash = await deployment.record(tenant);
    deployment.startSender();
    await eventually(async () => AT_LIMIT.test((await deployment.writerStatus()).problem ?? ''));
    assert.equal((await deployment.transactionStatus(hash))?.state, 'pending');
    await chain.node.ask('anvil_setNextBlockBaseFeePerGas', toHex(1_000_000_000));
    await chain.node.ask('evm_mine');
    await deployment.settled();
    const { rows } = await deployment.app.owner.query(
      'SELECT max(max_fee) <= 10000000000 AS limited, count(*) < 5 AS few FROM chain_attempts',
    );
    assert.deepEqual(rows, [{ limited: true, few: true }]);
  });

  test('raises the fees once per step, even if the node reports old fees', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const refusing = await startNodeBefore(chain, {
      eth_sendRawTransaction: () => ({
        error: { code: -32003, message: 'max fee per gas less than block base fee' },
      }),
    });
    const hash = await deployment.record(await deployment.tenant());
    const step = createOutboxSender({
      database: deployment.database,
      ...deployment.chain,
      node: createChainNode(refusing),
      logger: pino({ level: 'silent' }),
    });
    for (const attempts of [2, 3]) {
      await assert.rejects(step(), ChainStalledError);
      const { rows } = await deployment.app.owner.query(
        'SELECT max(number)::int AS attempts FROM chain_attempts',
      );
      assert.deepEqual(rows, [{ attempts }]);
    }
    deployment.startSender();
    await deployment.settled();
    assert.equal((await deployment.transactionStatus(hash))?.state, 'confirmed');
  });

  test('are not raised for a transaction that waits behind others in full blocks', async () => {
    const chain = await startTestChain();
    await chain.node.ask('evm_setAutomine', false);
    // The gas limit of a block suffices for one call.
    await chain.node.ask('evm_setBlockGasLimit', '0x222e0');
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const calls = 14;
    for (let count = 0; count < calls; count++) await deployment.record(tenant);
    deployment.startSender();
    await eventually(async () => (await countPooled(chain)) === calls);
    for (let left = calls - 1; left >= 0; left--) {
      await chain.node.ask('evm_mine');
      await eventually(async () => (await deployment.writerStatus()).waiting === left);
    }
    const { rows } = await deployment.app.owner.query('SELECT count(*)::int AS attempts FROM chain_attempts');
    assert.deepEqual(rows, [{ attempts: calls }]);
  });
});

const AT_LIMIT = /the highest fee that CHAIN_MAX_FEE_GWEI allows/;

/** A wrong answer: 5,000,000 gwei. */
const GREEDY_FEE = 5_000_000_000_000_000;
const greedyFee = { eth_maxPriorityFeePerGas: () => ({ result: toHex(GREEDY_FEE) }) };

/** A node that accepts every transaction but never includes it in a block. */
async function startLazyNode(chain: TestChain): Promise<{ url: string; taken: Hex[] }> {
  const taken: Hex[] = [];
  const url = await startNodeBefore(chain, {
    eth_sendRawTransaction: ([signed]) => ({ result: taken.push(signed as Hex) }),
    eth_getTransactionByHash: () => ({ result: {} }),
  });
  return { url, taken };
}

/** A node that answers some methods itself, and asks the chain for all others. Returns its URL. */
function startNodeBefore(
  { node }: TestChain,
  answers: Record<string, (params: unknown[]) => { result: unknown } | { error: object } | undefined>,
): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, params } = JSON.parse(await text(request)) as RpcRequest;
    const own = answers[method]?.(params) ?? (await node.ask(method, ...params).then(resultOf, errorOf));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...own }));
  };
  return serveOnLoopback((request, response) => void answer(request, response));
}

const resultOf = (result: unknown) => ({ result });
const errorOf = ({ message }: Error) => ({ error: { code: -32000, message } });

/** Whether a log line says that the fee of a transaction was changed. */
const isRaise = (line: string, hash: Hex): boolean => {
  const { msg, transaction } = JSON.parse(line) as { msg: string; transaction?: Hex };
  return msg === 'the fee of a transaction was changed' && transaction === hash;
};

interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}
