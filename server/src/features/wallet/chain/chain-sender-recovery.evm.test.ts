import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { encodeFunctionData, parseTransaction, zeroHash, type Address, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { startDatabaseProxy } from '../../../../acceptance/database-proxy.ts';
import { startTestChain, type TestChain } from '../../../testing/chain.ts';
import { arrangeChainDeployment, countPooled } from '../../../testing/chain-deployment.ts';
import { richKeys, startEvmNode } from '../../../testing/evm-node.ts';
import { eventually } from '../../../testing/eventually.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { createChainNode } from './chain-node.ts';
import { callGas } from './ledger-call.ts';
import { createOutboxSender } from './outbox-sender.ts';
import { abandonChain } from '../../../cli/chain.ts';
import { abandonWaiting, deployContract, openConfiguredChain, readAppended } from './index.ts';

describe('recovery of the chain sender', () => {
  test('stops sending when the connection of its lock becomes silent, and continues with a new one', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const { app, chain: opened, log } = deployment;
    const tenant = await deployment.tenant();
    const proxy = await startDatabaseProxy(app.databaseUrl);
    deployment.startSender(opened, proxy.url);
    await deployment.record(tenant);
    await deployment.settled();
    // PostgreSQL releases the lock of a connection that it has lost. Another process may take it.
    proxy.blackhole('guildhall chain sender');
    proxy.open();
    await app.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'guildhall chain sender' AND datname = current_database()`,
    );
    await eventually(() => log.some((line) => line.includes('the chain sender failed and restarts')));
    await deployment.record(tenant);
    await deployment.settled();
  });

  test('skips a nonce that was used elsewhere while no call waited', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    await deployment.record(tenant);
    await chain.sendForeign();
    const sender = deployment.startSender();
    await deployment.settled();
    await sender.stop();

    await chain.sendForeign();
    deployment.startSender();
    const { nextNonce } = await deployment.writerStatus();
    await eventually(async () => (await deployment.writerStatus()).nextNonce === nextNonce + 1);
    const hash = await deployment.record(tenant);
    await deployment.settled();
    assert.equal((await deployment.transactionStatus(hash))?.minedHash, hash);
  });

  test('signs waiting calls again when their nonces were used elsewhere, and finds them by the old hashes', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const hashes: Hex[] = [];
    for (let count = 0; count < 5; count++) hashes.push(await deployment.record(tenant));
    await chain.sendForeign();
    await chain.sendForeign();
    deployment.startSender();
    await deployment.settled();
    for (const hash of hashes) {
      const status = await deployment.transactionStatus(hash);
      assert.equal(status?.state, 'confirmed');
      assert.notEqual(status.minedHash, hash);
    }
  });

  test('records entries while it signs a long backlog again, and begins again if it is killed meanwhile', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const [tenant, other] = [await deployment.tenant(), await deployment.tenant()];
    for (let count = 0; count < 60; count++) await deployment.record(tenant);
    await chain.sendForeign();
    const { sign } = deployment.chain;
    let signed = 0;
    const step = createOutboxSender({
      ...deployment.chain,
      database: deployment.database,
      logger: pino({ level: 'silent' }),
      sign: async (...given) => {
        if (++signed === 1) await deployment.record(other);
        if (signed > 55) throw new Error('The process is killed.');
        return sign(...given);
      },
    });
    await step();
    await step();
    await assert.rejects(step(), /is killed/);
    await deployment.record(tenant);
    deployment.startSender();
    await deployment.settled();
    await deployment.record(other);
    await deployment.settled();
  });

  test('raises the gas of calls in proportion when the first one needs more', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    await deployment.record(tenant, 32);
    await deployment.record(tenant);
    await chain.sendForeign();
    const { node } = deployment.chain;
    const step = createOutboxSender({
      ...deployment.chain,
      database: deployment.database,
      logger: pino({ level: 'silent' }),
      // 1.5 times the gas of the first call.
      node: { ...node, simulate: async () => ({ gas: gasOf(32) }) },
    });
    for (let count = 0; count < 3; count++) await step();
    const { rows } = await deployment.app.owner.query<{ signed: Hex }>(
      `SELECT '0x' || encode(signed, 'hex') AS signed FROM chain_attempts WHERE number = 2 ORDER BY position`,
    );
    assert.deepEqual(
      rows.map(({ signed }) => Number(parseTransaction(signed).gas)),
      [32, 1].map((count) => Math.ceil(gasOf(count) * 1.5)),
    );
    deployment.startSender();
    await deployment.settled();
  });

  test('sends refused calls again, in order, after an earlier call was lost', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const [one, other] = [await deployment.tenant(), await deployment.tenant()];
    await chain.node.ask('evm_setAutomine', false);
    const lost = await deployment.record(one);
    const refused = await deployment.record(one);
    const unharmed = await deployment.record(other);
    const sender = deployment.startSender();
    await eventually(async () => (await countPooled(chain)) === 3);
    await sender.stop();
    const nonce = (await deployment.writerStatus()).nextNonce - 3;
    await chain.node.ask('anvil_dropTransaction', lost);
    await chain.sendForeign(nonce);
    // The node has dropped the later ones, too. Other nodes of a real network would still have them.
    const { rows } = await deployment.app.owner.query(
      `SELECT '0x' || encode(signed, 'hex') AS signed FROM chain_attempts WHERE nonce > $1 ORDER BY nonce`,
      [nonce],
    );
    for (const { signed } of rows)
      await chain.node.ask('eth_sendRawTransaction', signed).catch(() => 'already known');
    await chain.node.ask('evm_mine');
    await chain.node.ask('evm_setAutomine', true);
    const receipt = await chain.node.ask<{ status: Hex }>('eth_getTransactionReceipt', refused);
    assert.equal(receipt.status, '0x0');
    deployment.startSender();
    await deployment.settled();
    assert.equal((await deployment.transactionStatus(unharmed))?.minedHash, unharmed);
    await deployment.record(other);
    await deployment.settled();
  });

  test('sends the same bytes again when the chain has lost confirmed calls', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const before = await chain.node.ask('evm_snapshot');
    deployment.startSender();
    const hashes = [await deployment.record(tenant), await deployment.record(tenant)];
    await deployment.settled();
    await chain.node.ask('evm_revert', before);
    await deployment.record(tenant);
    await eventually(async () => (await chain.entries(tenant.tenantId)).length === 3);
    await deployment.settled();
    for (const hash of hashes) assert.equal((await deployment.transactionStatus(hash))?.minedHash, hash);
  });

  test('keeps mined calls when a node briefly lags behind or synchronizes', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain, { confirmations: 2 });
    const tenant = await deployment.tenant();
    const real = deployment.chain.node;
    let lag = 0;
    let isSyncing = false;
    const lagging = {
      ...real,
      isSyncing: async () => isSyncing,
      transactionCount: async (address: Address) => (await real.transactionCount(address)) - lag,
      head: async () => {
        const { block, fees } = await real.head();
        return { block: { number: block.number - lag, hash: lag > 0 ? zeroHash : block.hash }, fees };
      },
      blockHash: async (block: number) =>
        block > (await real.head()).block.number - lag ? undefined : real.blockHash(block),
    };
    const step = createOutboxSender({
      ...deployment.chain,
      database: deployment.database,
      node: lagging,
      logger: pino({ level: 'silent' }),
    });
    const hashes = [await deployment.record(tenant), await deployment.record(tenant)];
    for (let count = 0; count < 4; count++) await step();
    const states = async () =>
      Promise.all(hashes.map(async (hash) => (await deployment.transactionStatus(hash))?.state));
    assert.deepEqual(await states(), ['confirmed', 'mined']);
    for (let count = 0; count < 5; count++) {
      lag = 2;
      await step();
      await step();
      lag = 0;
      await step();
    }
    assert.deepEqual(await states(), ['confirmed', 'mined']);
    lag = 2;
    isSyncing = true;
    await step();
    await step();
    await assert.rejects(step(), /still synchronizing/);
    assert.deepEqual(await states(), ['confirmed', 'mined']);
    isSyncing = false;
    await step();
    assert.deepEqual(await states(), ['pending', 'pending']);
    lag = 0;
    deployment.startSender();
    await chain.node.ask('evm_mine');
    await deployment.settled();
  });

  test('sends all calls again to a development chain that was reset', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    deployment.startSender();
    await deployment.record(tenant, 3);
    await deployment.record(tenant);
    await deployment.settled();
    await chain.node.kill();
    await chain.node.start();
    await deployment.record(tenant);
    await eventually(async () => /has no contract at/.test((await deployment.writerStatus()).problem ?? ''));
    const { contract } = await deployContract(chain.settings);
    assert.equal(contract, chain.settings.contract);
    await eventually(async () => (await chain.entries(tenant.tenantId)).length === 5);
    await deployment.settled();
  });
});

describe('readAppended', () => {
  test('returns the entries of all signers, even before the newest signer has sent a call', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const sender = deployment.startSender();
    await deployment.record(tenant);
    await deployment.record(tenant);
    await deployment.settled();
    await sender.stop();
    await setWriter(chain, deployment.chain.writer.signer, privateKeyToAddress(richKeys[1]));
    const settings = { ...chain.settings, signerKey: richKeys[1] };
    const next = (await openConfiguredChain(deployment.database, settings))!;
    const read = async () =>
      (await Array.fromAsync(readAppended(deployment.database, next, tenant.tenantId)))
        .flat()
        .map(({ index }) => index);
    assert.deepEqual(await read(), [1, 2]);
    await deployment.record(tenant, 1, next);
    deployment.startSender(next);
    await eventually(async () => (await read()).length === 3);
  });
});

describe('abandoned calls', () => {
  test('cannot be requested while a process sends calls', async () => {
    const deployment = await arrangeChainDeployment(await startTestChain());
    const sender = deployment.startSender();
    await deployment.record(await deployment.tenant());
    await deployment.settled();
    await assert.rejects(
      abandonWaiting(deployment.database),
      /Stop all processes of Guildhall, and try again/,
    );
    await sender.stop();
    assert.equal(await abandonWaiting(deployment.database), 0);
  });

  test('leave a gap in the contract when the key was lost and another signer continues', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const [tenant, idle] = [await deployment.tenant(), await deployment.tenant()];
    const sender = deployment.startSender();
    await deployment.record(tenant);
    await deployment.record(idle);
    await deployment.settled();
    await sender.stop();
    const abandoned = await deployment.record(tenant, 2);
    await setWriter(chain, deployment.chain.writer.signer, privateKeyToAddress(richKeys[1]));
    assert.equal(
      await abandonChain(deployment.app.databaseUrl, false),
      '1 transactions wait. Nothing is abandoned yet. Add --yes to abandon them permanently.',
    );
    assert.equal((await deployment.transactionStatus(abandoned))?.state, 'pending');
    assert.match(await abandonChain(deployment.app.databaseUrl, true), /^1 transactions are abandoned\./);
    assert.equal(await abandonChain(deployment.app.databaseUrl, false), 'No transaction waits.');
    const settings = { ...chain.settings, signerKey: richKeys[1] };
    // All processes of a server start at the same time.
    const [next] = await Promise.all([1, 2].map(() => openConfiguredChain(deployment.database, settings)));
    await deployment.record(tenant, 1, next);
    await deployment.record(idle, 1, next);
    deployment.startSender(next);
    await eventually(async () => (await indicesOf(chain, tenant)) === '1,4');
    await eventually(async () => (await indicesOf(chain, idle)) === '1,2');
    assert.equal((await deployment.transactionStatus(abandoned))?.state, 'abandoned');
  });

  test('leave a gap in a contract that was deployed again at the same address', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const sender = deployment.startSender();
    await deployment.record(tenant);
    await deployment.settled();
    await sender.stop();
    await deployment.record(tenant);
    await chain.node.kill();
    await abandonWaiting(deployment.database);
    await chain.node.start();
    await deployContract(chain.settings);
    const next = await openConfiguredChain(deployment.database, chain.settings);
    await deployment.record(tenant, 1, next);
    deployment.startSender(next);
    await eventually(async () => (await indicesOf(chain, tenant)) === '3');
  });
});

describe('chain sender with a fault', () => {
  test('keeps the calls and asks for funds when the signer cannot pay', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const { signer } = deployment.chain.writer;
    const tenant = await deployment.tenant();
    await chain.node.ask('anvil_setBalance', signer, '0x0');
    await deployment.record(tenant);
    deployment.startSender();
    await eventually(async () => /send funds to it/.test((await deployment.writerStatus()).problem ?? ''));
    await deployment.record(tenant);
    await chain.node.ask('anvil_setBalance', signer, '0x56bc75e2d63100000');
    await deployment.settled();
  });

  test('skips no call while the contract refuses the signer', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    const [owner, writer] = [deployment.chain.writer.signer, privateKeyToAddress(richKeys[1])];
    await setWriter(chain, owner, writer);
    const hash = await deployment.record(tenant);
    await deployment.record(tenant);
    deployment.startSender();
    await eventually(async () =>
      /may not write .* setWriter/.test((await deployment.writerStatus()).problem ?? ''),
    );
    assert.deepEqual(await chain.entries(tenant.tenantId), []);
    assert.equal((await deployment.transactionStatus(hash))?.state, 'pending');
    await setWriter(chain, owner, owner);
    await deployment.settled();
  });

  test('stops after the database was restored to an earlier time', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    deployment.startSender();
    await deployment.record(tenant);
    await deployment.settled();
    await deployment.record(tenant);
    await deployment.settled();
    await deployment.app.owner.query(`
    UPDATE chain_heads SET entry_index = 1;
    UPDATE chain_writers SET next_nonce = next_nonce - 1;
    DELETE FROM chain_attempts WHERE position = (SELECT max(position) FROM chain_outbox);
    DELETE FROM chain_outbox WHERE position = (SELECT max(position) FROM chain_outbox)`);
    await deployment.record(tenant);
    await eventually(async () => /do not match/.test((await deployment.writerStatus()).problem ?? ''));
    assert.equal((await chain.entries(tenant.tenantId)).length, 2);
  });

  test('sends nothing to a node of another chain or without the contract', async () => {
    const chain = await startTestChain();
    const deployment = await arrangeChainDeployment(chain);
    const tenant = await deployment.tenant();
    await deployment.record(tenant);
    const foreign = await startEvmNode({ chainId: 4_242 });
    const empty = await startEvmNode();
    for (const [node, words] of [
      [foreign, /belongs to chain 4242, but the waiting calls were signed for chain 31337/],
      [empty, /has no contract at/],
    ] as const) {
      const sender = deployment.startSender({ ...deployment.chain, node: createChainNode(node.url) });
      await eventually(async () => words.test((await deployment.writerStatus()).problem ?? ''));
      await sender.stop();
      const count = await node.ask('eth_getTransactionCount', deployment.chain.writer.signer, 'pending');
      assert.equal(count, '0x0');
    }
    deployment.startSender();
    await deployment.settled();
  });

  test('treats malformed responses as an unavailable node', async () => {
    let answer = '{}';
    const url = await serveOnLoopback((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(answer);
    });
    const deployment = await arrangeChainDeployment(await startTestChain());
    await deployment.record(await deployment.tenant());
    const node = createChainNode(url);
    const sender = deployment.startSender({ ...deployment.chain, node });
    for (const [nonsense, words] of [
      ['{}', /does not respond.*no result/],
      ['{"result":"0xffffffffffffffff"}', /does not respond.*0xffffffffffffffff/],
      ['{"result":{"number":"x"}}', /does not respond.*instead of a number/],
    ] as const) {
      answer = nonsense;
      await eventually(async () => words.test((await deployment.writerStatus()).problem ?? ''));
    }
    await sender.stop();
    deployment.startSender();
    await deployment.settled();
  });
});

/** The gas of a call with entries alone. */
const gasOf = (entries: number): number => callGas.empty + entries * callGas.entry;

/** Sets the writer of the contract. The node knows the keys of its accounts. */
async function setWriter({ node, settings }: TestChain, owner: Address, writer: Address): Promise<void> {
  const data = encodeFunctionData({ abi: guildhallLedgerAbi, functionName: 'setWriter', args: [writer] });
  await node.ask('eth_sendTransaction', { from: owner, to: settings.contract, data });
}

/** The indices of a tenant's entries on the chain. */
async function indicesOf(chain: TestChain, { tenantId }: { tenantId: string }): Promise<string> {
  return (await chain.entries(tenantId)).map((entry) => entry.split(':')[0]).join();
}
