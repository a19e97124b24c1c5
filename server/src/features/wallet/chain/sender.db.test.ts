import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { encodeFunctionData, parseTransaction, toHex, type Address, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { openDatabase } from '../../../database/database.ts';
import { arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { startTestChain, type TestChain } from '../../../testing/chain.ts';
import { richKeys, startEvmNode } from '../../../testing/evm-node.ts';
import { eventually } from '../../../testing/eventually.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { deployContract, openChain, startChainSender, type Chain, type ChainSettings } from './index.ts';
import { openChainNode } from './chain-node.ts';
import { findFate, findFirstHash, readStanding } from './queries.ts';

const POLL_MS = 20;

/** A deployment with a chain: a database, entries that are handed over, and a sender. */
async function arrange(chain: TestChain, more: Partial<ChainSettings> = {}) {
  const app = await startTestApp();
  const settings = { ...chain.settings, ...more };
  const database = openDatabase(app.databaseUrl, { poolSize: 8 });
  const opened = await openChain(database, settings);
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void log.push(line) });
  const senders = new Set<{ stop(): Promise<void> }>();
  const startSender = (as: Chain = opened) => {
    const sender = startChainSender(app.databaseUrl, database, as, logger, { pollMs: POLL_MS });
    senders.add(sender);
    return sender;
  };
  after(async () => {
    for (const sender of senders) await sender.stop();
    await database.close();
  });

  /** What the ledger would hold of a tenant: each entry as `index:hash`. */
  const ledger = new Map<string, string[]>();
  return {
    app,
    chain: opened,
    database,
    log,
    startSender,
    tenant: () => arrangeTenant(app),
    /** Hands the tenant's next entries over, and returns the hash of their transaction. */
    async record({ tenantId }: TestTenant, count = 1, as: Chain = opened): Promise<Hex> {
      const entries = ledger.get(tenantId) ?? [];
      ledger.set(tenantId, entries);
      const first = entries.length + 1;
      const hashes = Array.from(
        { length: count },
        (): Hex => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`,
      );
      entries.push(...hashes.map((hash, index) => `${first + index}:${hash}`));
      return database
        .forTenant(tenantId)
        .transaction((transaction) =>
          as.enqueueBatch(transaction, { tenantId, first, hashes, newPlayers: [], newScores: [] }),
        );
    },
    fate: (hash: Hex) => findFate(database, hash),
    standing: () => readStanding(database, opened.writer.id),
    /** Waits until the chain holds exactly what was recorded, in its order, and all of it is confirmed. */
    async settled(ms = 15_000) {
      await eventually(async () => {
        const { waiting, mined } = await readStanding(database, opened.writer.id);
        return waiting + mined === 0;
      }, ms);
      for (const [tenantId, entries] of ledger) assert.deepEqual(await chain.entries(tenantId), entries);
    },
  };
}

/** A folder that is gone after the test. */
async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'guildhall-chain-'));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

test('what is handed over comes to the chain once, in order, and is confirmed', async () => {
  const deployment = await arrange(await startTestChain());
  const [one, other] = [await deployment.tenant(), await deployment.tenant()];
  const hash = await deployment.record(one, 3);
  assert.deepEqual(await deployment.fate(hash), {
    state: 'pending',
    blockNumber: null,
    confirmations: 0,
    minedHash: null,
  });
  for (let count = 0; count < 10; count++) await deployment.record(count % 2 ? one : other);
  deployment.startSender();
  await deployment.settled();
  const fate = await deployment.fate(hash);
  assert.deepEqual([fate?.state, fate?.minedHash], ['confirmed', hash]);
  await deployment.record(one);
  await deployment.settled();
});

test('a transaction is mined first, and confirmed when enough blocks lie on it', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain, { confirmations: 3 });
  const hash = await deployment.record(await deployment.tenant());
  deployment.startSender();
  await eventually(async () => (await deployment.fate(hash))?.state === 'mined');
  assert.equal((await deployment.fate(hash))?.confirmations, 1);
  await chain.node.ask('evm_mine');
  await eventually(async () => (await deployment.fate(hash))?.confirmations === 2);
  assert.equal((await deployment.fate(hash))?.state, 'mined');
  await chain.node.ask('evm_mine');
  await eventually(async () => (await deployment.fate(hash))?.state === 'confirmed');
});

test('while the node is away everything goes on, and comes to the chain when it is back', async (context) => {
  const chain = await startTestChain({ state: join(await folder(context), 'state') });
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  deployment.startSender();
  await deployment.record(tenant);
  await deployment.settled();
  // The state is written every second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await chain.node.kill();
  for (let count = 0; count < 100; count++) await deployment.record(tenant);
  await eventually(async () => /gives no answer/.test((await deployment.standing()).problem ?? ''));
  await chain.node.start();
  await deployment.settled();
  assert.equal((await deployment.standing()).problem, null);
  assert.equal(deployment.log.filter((line) => line.includes('nothing is sent')).length, 1, 'told once');
});

test('a node that is killed again and again under load loses and doubles nothing', async (context) => {
  // Between two blocks transactions are in the node's memory alone, and so lost with it.
  const state = join(await folder(context), 'state');
  const chain = await startTestChain({ state, options: ['--block-time', '1'] });
  const deployment = await arrange(chain);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const tenants = [await deployment.tenant(), await deployment.tenant()];
  deployment.startSender();
  let writing = true;
  const load = tenants.map(async (tenant) => {
    while (writing) {
      await deployment.record(tenant, 2);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  });
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 300 + 400 * Math.random()));
    await chain.node.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await chain.node.start();
  }
  writing = false;
  await Promise.all(load);
  await deployment.settled(30_000);
});

test('several processes write and send at once: no nonce is left out or taken twice', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
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

test('another sender takes over where one is gone', async () => {
  const deployment = await arrange(await startTestChain());
  const tenant = await deployment.tenant();
  const first = deployment.startSender();
  deployment.startSender();
  await deployment.record(tenant);
  await deployment.settled();
  await first.stop();
  await deployment.record(tenant);
  await deployment.settled();
});

test('when fees have risen beyond the offer, it is raised under the same nonce, and both hashes are found', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  await chain.node.ask('evm_setAutomine', false);
  const hashes = [await deployment.record(tenant), await deployment.record(tenant)];
  deployment.startSender();
  await eventually(async () => (await pooled(chain)) === 2);
  const { baseFee } = await deployment.standing();
  await chain.node.ask('anvil_setNextBlockBaseFeePerGas', toHex(BigInt(baseFee) * 50n));
  await chain.node.ask('evm_mine');
  assert.equal((await deployment.fate(hashes[0]!))?.state, 'pending', 'the block was too dear');
  await eventually(() => deployment.log.filter((line) => line.includes('higher fee')).length === 2);
  await eventually(async () => {
    await chain.node.ask('evm_mine');
    return (await deployment.standing()).waiting === 0;
  });
  await deployment.settled();
  for (const hash of hashes) {
    const fate = await deployment.fate(hash);
    assert.notEqual(fate?.minedHash, hash);
    assert.deepEqual(await deployment.fate(fate!.minedHash!), fate, 'the hash of the chain leads there too');
    assert.equal(await findFirstHash(deployment.database, fate!.minedHash!), hash);
  }
  const { rows } = await deployment.app.owner.query(
    'SELECT position, count(DISTINCT nonce)::int AS nonces FROM chain_attempts GROUP BY position',
  );
  assert.ok(rows.every(({ nonces }) => nonces === 1));
});

test('a transaction that is left lying offers more, but not without end', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const lazy = await startLazyNode(chain);
  const hash = await deployment.record(await deployment.tenant());
  const sender = deployment.startSender({ ...deployment.chain, node: openChainNode(lazy.url) });
  for (let sent = 1; sent <= 9; sent++) {
    await eventually(() => lazy.taken.length === sent);
    await chain.node.ask('anvil_mine', toHex(10));
  }
  await chain.node.ask('anvil_mine', toHex(10));
  await eventually(async () => (await deployment.standing()).problem === null);
  await sender.stop();
  const nonces = new Set(lazy.taken.map((signed) => parseTransaction(signed).nonce));
  assert.deepEqual([nonces.size, lazy.taken.length], [1, 9], 'the same nonce, and eight raises at most');
  deployment.startSender();
  await deployment.settled();
  assert.equal((await deployment.fate(hash))?.state, 'confirmed');
});

test('a transaction that waits behind others in full blocks is not left lying', async () => {
  const chain = await startTestChain();
  await chain.node.ask('evm_setAutomine', false);
  // A block takes one of them.
  await chain.node.ask('evm_setBlockGasLimit', '0x222e0');
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  const calls = 14;
  for (let count = 0; count < calls; count++) await deployment.record(tenant);
  deployment.startSender();
  await eventually(async () => (await pooled(chain)) === calls);
  for (let left = calls - 1; left >= 0; left--) {
    await chain.node.ask('evm_mine');
    await eventually(async () => (await deployment.standing()).waiting === left);
  }
  const { rows } = await deployment.app.owner.query('SELECT count(*)::int AS attempts FROM chain_attempts');
  assert.deepEqual(rows, [{ attempts: calls }]);
});

test('a nonce that somebody else took while nothing waited is left to them', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  await deployment.record(tenant);
  await chain.sendForeign();
  const sender = deployment.startSender();
  await deployment.settled();
  await sender.stop();

  await chain.sendForeign();
  deployment.startSender();
  const { nextNonce } = await deployment.standing();
  await eventually(async () => (await deployment.standing()).nextNonce === nextNonce + 1);
  const hash = await deployment.record(tenant);
  await deployment.settled();
  assert.equal((await deployment.fate(hash))?.minedHash, hash);
});

test('what waits is signed anew where somebody else took its nonce, and the old hashes are found', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  const hashes: Hex[] = [];
  for (let count = 0; count < 5; count++) hashes.push(await deployment.record(tenant));
  await chain.sendForeign();
  await chain.sendForeign();
  deployment.startSender();
  await deployment.settled();
  for (const hash of hashes) {
    const fate = await deployment.fate(hash);
    assert.equal(fate?.state, 'confirmed');
    assert.notEqual(fate.minedHash, hash);
  }
});

test('calls that were refused because one before them was lost come again, in order', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const [one, other] = [await deployment.tenant(), await deployment.tenant()];
  await chain.node.ask('evm_setAutomine', false);
  const lost = await deployment.record(one);
  const refused = await deployment.record(one);
  const unharmed = await deployment.record(other);
  const sender = deployment.startSender();
  await eventually(async () => (await pooled(chain)) === 3);
  await sender.stop();
  const nonce = (await deployment.standing()).nextNonce - 3;
  await chain.node.ask('anvil_dropTransaction', lost);
  await chain.sendForeign(nonce);
  // The node has dropped those after it, too; others of the network have not.
  const { rows } = await deployment.app.owner.query(
    `SELECT '0x' || encode(signed, 'hex') AS signed FROM chain_attempts WHERE nonce > $1 ORDER BY nonce`,
    [nonce],
  );
  for (const { signed } of rows)
    await chain.node.ask('eth_sendRawTransaction', signed).catch(() => 'it has it still');
  await chain.node.ask('evm_mine');
  await chain.node.ask('evm_setAutomine', true);
  const receipt = await chain.node.ask<{ status: Hex }>('eth_getTransactionReceipt', refused);
  assert.equal(receipt.status, '0x0');
  deployment.startSender();
  await deployment.settled();
  assert.equal((await deployment.fate(unharmed))?.minedHash, unharmed);
  await deployment.record(other);
  await deployment.settled();
});

test('what the chain had confirmed and lost again is sent again, the same bytes', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  const before = await chain.node.ask('evm_snapshot');
  deployment.startSender();
  const hashes = [await deployment.record(tenant), await deployment.record(tenant)];
  await deployment.settled();
  await chain.node.ask('evm_revert', before);
  await deployment.record(tenant);
  await eventually(async () => (await chain.entries(tenant.tenantId)).length === 3);
  await deployment.settled();
  for (const hash of hashes) assert.equal((await deployment.fate(hash))?.minedHash, hash);
});

test('a development chain that began anew gets all that it ever had', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  deployment.startSender();
  await deployment.record(tenant, 3);
  await deployment.record(tenant);
  await deployment.settled();
  await chain.node.kill();
  await chain.node.start();
  await deployment.record(tenant);
  await eventually(async () => /has no contract at/.test((await deployment.standing()).problem ?? ''));
  const { contract } = await deployContract(chain.settings);
  assert.equal(contract, chain.settings.contract);
  await eventually(async () => (await chain.entries(tenant.tenantId)).length === 5);
  await deployment.settled();
});

test('without funds nothing is lost, and the operator is told', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const { signer } = deployment.chain.writer;
  const tenant = await deployment.tenant();
  await chain.node.ask('anvil_setBalance', signer, '0x0');
  await deployment.record(tenant);
  deployment.startSender();
  await eventually(async () => /send funds to it/.test((await deployment.standing()).problem ?? ''));
  await deployment.record(tenant);
  await chain.node.ask('anvil_setBalance', signer, '0x56bc75e2d63100000');
  await deployment.settled();
});

test('where the contract refuses, nothing is skipped: it goes on when the cause is mended', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  const [owner, writer] = [deployment.chain.writer.signer, privateKeyToAddress(richKeys[1])];
  const setWriter = (to: Address) =>
    chain.node.ask('eth_sendTransaction', {
      from: owner,
      to: chain.settings.contract,
      data: encodeFunctionData({ abi: guildhallLedgerAbi, functionName: 'setWriter', args: [to] }),
    });
  await setWriter(writer);
  const hash = await deployment.record(tenant);
  await deployment.record(tenant);
  deployment.startSender();
  await eventually(async () =>
    /may not write .* setWriter/.test((await deployment.standing()).problem ?? ''),
  );
  assert.deepEqual(await chain.entries(tenant.tenantId), []);
  assert.equal((await deployment.fate(hash))?.state, 'pending');
  await setWriter(owner);
  await deployment.settled();
});

test('a database that was restored to an earlier time stops the sending, and says why', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
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
  await eventually(async () => /do not belong together/.test((await deployment.standing()).problem ?? ''));
  assert.equal((await chain.entries(tenant.tenantId)).length, 2);
});

test('a node of another chain, or one without the contract, gets nothing', async () => {
  const chain = await startTestChain();
  const deployment = await arrange(chain);
  const tenant = await deployment.tenant();
  await deployment.record(tenant);
  const foreign = await startEvmNode({ chainId: 4_242 });
  const empty = await startEvmNode();
  for (const [node, words] of [
    [foreign, /one of chain 4242; what waits was signed for chain 31337/],
    [empty, /has no contract at/],
  ] as const) {
    const sender = deployment.startSender({ ...deployment.chain, node: openChainNode(node.url) });
    await eventually(async () => words.test((await deployment.standing()).problem ?? ''));
    await sender.stop();
    const count = await node.ask('eth_getTransactionCount', deployment.chain.writer.signer, 'pending');
    assert.equal(count, '0x0');
  }
  deployment.startSender();
  await deployment.settled();
});

test('a node that answers with nonsense is one that is away', async () => {
  let answer = '{}';
  const url = await serveOnLoopback((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
  const deployment = await arrange(await startTestChain());
  await deployment.record(await deployment.tenant());
  const node = openChainNode(url);
  const sender = deployment.startSender({ ...deployment.chain, node });
  for (const [nonsense, words] of [
    ['{}', /gives no answer.*no result/],
    ['{"result":"0xffffffffffffffff"}', /gives no answer.*0xffffffffffffffff/],
    ['{"result":{"number":"x"}}', /gives no answer.*no number/],
  ] as const) {
    answer = nonsense;
    await eventually(async () => words.test((await deployment.standing()).problem ?? ''));
  }
  await sender.stop();
  deployment.startSender();
  await deployment.settled();
});

/** How many transactions the node holds that are in no block. */
async function pooled({ node }: TestChain): Promise<number> {
  const { pending, queued } = await node.ask<Record<'pending' | 'queued', Hex>>('txpool_status');
  return Number(pending) + Number(queued);
}

/** A node that takes every transaction, and brings none into a block. */
async function startLazyNode({ node }: TestChain): Promise<{ url: string; taken: Hex[] }> {
  const taken: Hex[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, params } = JSON.parse(await text(request)) as RpcRequest;
    const answers = {
      eth_sendRawTransaction: () => taken.push(params[0] as Hex),
      eth_getTransactionByHash: () => ({}),
    } as Record<string, (() => unknown) | undefined>;
    const result = answers[method]?.() ?? (await node.ask(method, ...params));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const url = await serveOnLoopback((request, response) => void answer(request, response));
  return { url, taken };
}

interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}
