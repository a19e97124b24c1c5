import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { keccak256, parseEther, parseTransaction, toHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { abandonChain, chainStatus } from '../../../cli/chain.ts';
import { readConfig } from '../../../runtime/config.ts';
import { OperatorError } from '../../../core/operator-error.ts';
import { openDatabase } from '../../../database/database.ts';
import { startTestChain, type TestChain } from '../../../testing/chain.ts';
import { eventually } from '../../../testing/eventually.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { startTestApp, startTestWorker, type TestApp } from '../../../testing/test-app.ts';
import {
  addAnonymous,
  arrangeWalletPlayer,
  arrangeWalletTenant,
  someAddress,
  walletPlayer,
  WALLET_ENV,
  type WalletTenant,
  type WalletTestPlayer,
} from '../../../testing/wallet-recording.ts';
import { verify } from '../../../cli/verify.ts';
import { vault } from '../../../testing/test-vault.ts';
import { deployContract, openConfiguredChain } from '../chain/index.ts';
import { createEvmRecorder } from './evm-recorder.ts';
import { createWalletLedger } from './ledger.ts';
import { proveAddress } from './player-commands.ts';

const chain = await startTestChain();
const env = { ...WALLET_ENV, ...chain.env };
const app = await startTestApp({ env });
await startTestWorker(app, env);
const tenant = await arrangeWalletTenant(app);

const transaction = (hash: string, on: TestApp = app, of: WalletTenant = tenant) =>
  on.http.get(`/api/BlockchainStorage/transactions/${hash}`, of);

/** Waits until a transaction is final. */
async function confirmed(hash: string, on?: TestApp, of?: WalletTenant): Promise<void> {
  await eventually(async () => (await transaction(hash, on, of)).body.chain?.state === 'confirmed');
}

/** The problems that `verify` reports for the tenant, as `id problem`. */
async function problems(tenantId = tenant.tenantId, { rpcUrl } = chain.settings): Promise<string[]> {
  const found: string[] = [];
  const report = ({ id, problem }: { id: string; problem?: string }) => void found.push(`${id} ${problem}`);
  await verify(app.databaseUrl, { tenantId }, report, { chain: { ...chain.settings, rpcUrl } });
  return found;
}

/** The tenant's entries in the database, in the form that the chain returns. */
async function ledger({ owner }: TestApp, tenantId: string): Promise<string[]> {
  const { rows } = await owner.query(
    `SELECT entry_index || ':0x' || encode(hash, 'hex') AS entry FROM wallet_ledger_entries
     WHERE tenant_id = $1 ORDER BY entry_index`,
    [tenantId],
  );
  return rows.map(({ entry }) => entry as string);
}

async function scoreOf(player: Pick<WalletTestPlayer, 'setScore'>, score: number): Promise<Hex> {
  const { status, body, text } = await player.setScore({ newScore: score });
  assert.equal(status, 200, text);
  return body.transactionHash as Hex;
}

describe('GET /api/BlockchainStorage/transactions/:transactionHash with an EVM chain', () => {
  test('returns pending at first, then mined, then confirmed', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    await chain.node.ask('evm_setAutomine', false);
    const hash = await scoreOf(player, 7);
    const pending = await transaction(hash);
    assert.equal(pending.status, 200, pending.text);
    assert.equal(pending.body.recorder, 'evm');
    assert.deepEqual(pending.body.chain, { state: 'pending', blockNumber: null, confirmations: 0 });
    await chain.node.ask('evm_setAutomine', true);
    await chain.node.ask('evm_mine');
    await confirmed(hash);
    const { body } = await transaction(hash);
    const receipt = await chain.node.ask<{ blockNumber: Hex; to: string }>('eth_getTransactionReceipt', hash);
    assert.equal(body.chain.blockNumber, Number(receipt.blockNumber));
    assert.equal(body.chain.confirmations >= 1, true);
    assert.equal(body.entries[0].kind, 'player.scored');
  });

  test('returns the accepted hash for any hash of a transaction whose fee was raised', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    await chain.node.ask('evm_setAutomine', false);
    const first = await scoreOf(player, 8);
    await eventually(
      async () => (await chain.node.ask<object | null>('eth_getTransactionByHash', first)) !== null,
    );
    await chain.node.ask('anvil_setNextBlockBaseFeePerGas', toHex(100_000_000_000));
    await chain.node.ask('evm_mine');
    const attempts = `SELECT FROM chain_attempts a JOIN chain_attempts b USING (position)
    WHERE b.hash = decode(substr($1, 3), 'hex')`;
    await eventually(async () => (await app.owner.query(attempts, [first])).rowCount === 2);
    await chain.node.ask('evm_setAutomine', true);
    await chain.node.ask('evm_mine');
    await confirmed(first);
    const { body } = await transaction(first);
    assert.deepEqual((await transaction(body.transactionHash)).body, body);
    assert.equal((await transaction(body.transactionHash.toUpperCase().replace('0X', '0x'))).status, 200);
    const other = await arrangeWalletTenant(app, tenant.issuer);
    for (const hash of [first, body.transactionHash])
      assert.equal((await app.http.get(`/api/BlockchainStorage/transactions/${hash}`, other)).status, 404);

    // The entry must keep the hash that was answered.
    const replaceHash = (from: string, to: string) =>
      app.owner.query(
        `UPDATE wallet_ledger_entries SET transaction_hash = decode(substr($2, 3), 'hex')
       WHERE transaction_hash = decode(substr($1, 3), 'hex')`,
        [from, to],
      );
    await replaceHash(first, body.transactionHash);
    assert.deepEqual(await problems(), [`${body.entries[0].index} does not match its hash`]);
    await replaceHash(body.transactionHash, first);
  });
});

describe('players with an EVM chain', () => {
  test('are read from the chain when their entries are final, and from the database before', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    await scoreOf(player, 100);
    // A later entry of another player.
    await confirmed(await scoreOf(await arrangeWalletPlayer(app, tenant), 1));
    const setInDatabase = (score: number) =>
      app.owner.query('UPDATE wallet_players SET score = $3 WHERE tenant_id = $1 AND player_index = $2', [
        tenant.tenantId,
        player.playerIndex,
        score,
      ]);
    // Makes the database differ from the chain.
    await setInDatabase(-1);
    await eventually(async () => (await player.read(player.playerIndex)).body.score === 100);

    await chain.node.ask('evm_setAutomine', false);
    await scoreOf(player, 200);
    assert.equal((await player.read(player.playerIndex)).body.score, 200, 'not yet on the chain');
    const added = await addAnonymous(app, tenant, { playerId: 'not yet there' });
    const lookUp = await app.http.get(
      '/api/BlockchainStorage/players/lookup/index/not%20yet%20there',
      tenant,
    );
    assert.equal(lookUp.body.playerIndex, added.body.playerIndex);
    await chain.node.ask('evm_setAutomine', true);
    await chain.node.ask('evm_mine');
    await confirmed(added.body.transactionHash);
    for (const path of [`index/not%20yet%20there`, `address/${player.address}`])
      assert.equal((await app.http.get(`/api/BlockchainStorage/players/lookup/${path}`, tenant)).status, 200);
  });

  test('are read from the database while the newest final block is older than the contract', async () => {
    // The contract is in block 1, so the newest final block is block 0.
    const chain = await startTestChain();
    const app = await startTestApp({ env: { ...WALLET_ENV, ...chain.env, CHAIN_CONFIRMATIONS: '2' } });
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    for (const path of [`index/${player.playerId}`, `address/${player.address}`]) {
      const lookUp = await app.http.get(`/api/BlockchainStorage/players/lookup/${path}`, tenant);
      assert.equal(lookUp.status, 200, lookUp.text);
      assert.equal(lookUp.body.playerIndex, player.playerIndex);
    }
    assert.equal((await player.read(player.playerIndex)).status, 200);
  });
});

describe('verify with an EVM chain', () => {
  test('reports nothing for a correct ledger, and each difference between ledger and chain', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    await scoreOf(player, 1);
    const last = await scoreOf(player, 2);
    await confirmed(last);
    assert.deepEqual(await problems(), []);
    assert.deepEqual(await chain.entries(tenant.tenantId), await ledger(app, tenant.tenantId));

    // Somebody who can change the database can rewrite the hashes of the last entry, but not the chain.
    const { rows } = await app.owner.query(
      'SELECT max(entry_index) AS last FROM wallet_ledger_entries WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const index = rows[0].last as string;
    const set = (column: string, value: string) =>
      app.owner.query(
        `UPDATE wallet_ledger_entries SET ${column} = decode($3, 'hex') WHERE tenant_id = $1 AND entry_index = $2`,
        [tenant.tenantId, index, value],
      );
    const before = (
      await app.owner.query(
        `SELECT encode(hash, 'hex') AS hash, encode(transaction_hash, 'hex') AS transaction FROM wallet_ledger_entries
       WHERE tenant_id = $1 AND entry_index = $2`,
        [tenant.tenantId, index],
      )
    ).rows[0];
    await set('hash', 'ee'.repeat(32));
    assert.ok((await problems()).includes(`${index} differs from the entry on the chain`));
    await set('hash', before.hash);
    await set('transaction_hash', 'ee'.repeat(32));
    assert.deepEqual(await problems(), [`${index} does not match its hash`]);
    await set('transaction_hash', before.hash);
    // An operator may write the id in upper case.
    for (const tenantId of [tenant.tenantId, tenant.tenantId.toUpperCase()])
      assert.deepEqual(await problems(tenantId), [`${index} does not name its transaction on the chain`]);
    await set('transaction_hash', before.transaction);

    await app.owner.query(
      'UPDATE wallet_ledger_entries SET entry_index = entry_index + 1 WHERE tenant_id = $1 AND entry_index = $2',
      [tenant.tenantId, index],
    );
    const moved = await problems();
    assert.ok(moved.includes(`${index} is on the chain, but not in the database`), String(moved));
    assert.ok(moved.includes(`${Number(index) + 1} was final, but is not on the chain`), String(moved));
    await app.owner.query(
      'UPDATE wallet_ledger_entries SET entry_index = entry_index - 1 WHERE tenant_id = $1 AND entry_index = $2 + 1',
      [tenant.tenantId, index],
    );
    assert.deepEqual(await problems(), []);
  });

  test('reports the entries of a signed call whose bytes were altered', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    const hash = await scoreOf(player, 3);
    const { body } = await transaction(hash);
    const alter = () =>
      app.owner.query(
        `UPDATE chain_attempts SET signed = set_byte(signed, 0, 255 - get_byte(signed, 0))
       WHERE hash = decode(substr($1, 3), 'hex')`,
        [hash],
      );
    await confirmed(hash);
    await alter();
    assert.deepEqual(await problems(), [`${body.entries[0].index} does not match its hash`]);
    await alter();
    assert.deepEqual(await problems(), []);
  });

  test('reports the entries of a call that was replaced by one that appends nothing', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    const hash = await scoreOf(player, 4);
    const { body } = await transaction(hash);
    await confirmed(hash);
    const signed = await privateKeyToAccount(chain.settings.signerKey).signTransaction({
      type: 'eip1559',
      chainId: chain.node.chainId,
      to: chain.settings.contract,
    });
    const attempt = `hash = decode(substr($1, 3), 'hex')`;
    const { rows } = await app.owner.query(`SELECT signed FROM chain_attempts WHERE ${attempt}`, [hash]);
    const replace = (before: Hex, after: Hex, bytes: Buffer) =>
      app.owner.query(
        `UPDATE chain_attempts SET hash = decode(substr($2, 3), 'hex'), signed = $3 WHERE ${attempt}`,
        [before, after, bytes],
      );
    await replace(hash, keccak256(signed), Buffer.from(signed.slice(2), 'hex'));
    assert.deepEqual(await problems(), [`${body.entries[0].index} does not match its hash`]);
    await replace(keccak256(signed), hash, rows[0].signed as Buffer);
    assert.deepEqual(await problems(), []);
  });

  test('checks all tenants of the database before it fails on an unavailable node', async () => {
    // Tenants are verified in the order of their ids.
    let other = tenant;
    while (other.tenantId <= tenant.tenantId) other = await arrangeWalletTenant(app, tenant.issuer);
    const { playerIndex } = await arrangeWalletPlayer(app, other);
    await app.owner.query('UPDATE wallet_players SET score = 5 WHERE tenant_id = $1', [other.tenantId]);
    const found: string[] = [];
    const report = ({ tenantId, id }: { tenantId: string; id: string }) =>
      void found.push(`${tenantId} ${id}`);
    const unavailable = { ...chain.settings, rpcUrl: 'http://127.0.0.1:1' };
    await assert.rejects(
      verify(app.databaseUrl, {}, report, { chain: unavailable }),
      /^OperatorError: The entries on the chain cannot be read: /,
    );
    assert.deepEqual(found, [`${other.tenantId} ${playerIndex}`]);
  });

  test('fails if the node is behind, and reports the entries that a chain has lost', async () => {
    const player = await arrangeWalletPlayer(app, tenant);
    const hash = await scoreOf(player, 5);
    await confirmed(hash);
    const { body } = await transaction(hash);
    const last = body.chain.blockNumber as number;
    const node = { newest: last, isSyncing: false, isReset: false, mostBlocks: Infinity };
    const isTooWide = (method: string, [filter]: unknown[]): boolean => {
      if (method !== 'eth_getLogs') return false;
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      return Number(toBlock) - Number(fromBlock) >= node.mostBlocks;
    };
    const answer = async (method: string, params: unknown[]): Promise<unknown> => {
      if (method === 'eth_syncing') return node.isSyncing;
      if (method !== 'eth_getBlockByNumber') return chain.node.ask(method, ...params);
      const number = params[0] === 'latest' ? toHex(node.newest) : params[0];
      const block = await chain.node.ask<object>(method, number, false);
      return node.isReset ? { ...block, hash: keccak256('0x') } : block;
    };
    const rpcUrl = await serveOnLoopback((request, response) => {
      void json(request).then(async (sent) => {
        const { id, method, params = [] } = sent as { id: number; method: string; params?: unknown[] };
        response.setHeader('content-type', 'application/json');
        const result = isTooWide(method, params)
          ? { error: { code: -32005, message: 'limit exceeded' } }
          : { result: await answer(method, params) };
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result }));
      });
    });
    const found = () => problems(undefined, { ...chain.settings, rpcUrl });
    node.mostBlocks = 3;
    assert.deepEqual(await found(), [], 'of a node that limits the blocks of a request');
    node.mostBlocks = Infinity;
    const isBehind = (error: Error) =>
      error instanceof OperatorError && error.message.includes(`final entries are in block ${last}.`);
    assert.deepEqual(await found(), []);
    node.isSyncing = true;
    await assert.rejects(found(), isBehind);
    Object.assign(node, { isSyncing: false, newest: last - 1 });
    await assert.rejects(found(), isBehind);
    node.isReset = true;
    assert.deepEqual(await found(), [`${body.entries[0].index} was final, but is not on the chain`]);
  });
});

describe('operation with an EVM chain', () => {
  test('exports metrics, and describes the status for the operator', async () => {
    const { text } = await app.http.get('/metrics');
    for (const name of ['waiting', 'mined', 'oldest_seconds', 'problem'])
      assert.match(text, new RegExp(`^guildhall_chain_${name} \\d`, 'm'));
    const status = await chainStatus(app.databaseUrl, readConfig(env));
    assert.match(status, /pending +\d+[^]*confirmed +\d+[^]*balance +\d+.* ether/);
    assert.ok(!status.includes(chain.settings.signerKey.slice(2)));
  });

  test('splits the entries of many new players, so that each transaction may cost less than 1 ether', async () => {
    const database = openDatabase(app.databaseUrl, { poolSize: 2 });
    after(() => database.close());
    const opened = await openConfiguredChain(database, chain.settings);
    const ledger = createWalletLedger(database, createEvmRecorder(opened!, vault));
    const { tenantId } = await arrangeWalletTenant(app, tenant.issuer);
    const added = await Promise.all(
      Array.from({ length: 33 }, () => ledger.record(tenantId, proveAddress(someAddress()))),
    );
    const hashes = [...new Set(added.map(({ transactionHash }) => transactionHash))];
    assert.equal(hashes.length, 5, 'the first alone, and the others in groups of eight');
    const { rows } = await app.owner.query<{ signed: Hex }>(
      `SELECT '0x' || encode(signed, 'hex') AS signed FROM chain_attempts
       WHERE '0x' || encode(hash, 'hex') = ANY($1)`,
      [hashes],
    );
    for (const { signed } of rows)
      assert.ok(parseTransaction(signed).gas! * BigInt(chain.settings.feeLimit) < parseEther('1'));
    await eventually(async () => (await chain.entries(tenantId)).length === 33);
    assert.deepEqual(await problems(tenantId), []);
  });

  test('continues a ledger on a chain, and without it again', async () => {
    // A separate chain, because a signer belongs to one deployment.
    const chain = await startTestChain();
    const env = { ...WALLET_ENV, ...chain.env };
    const plain = await startTestApp({ env: WALLET_ENV });
    const tenant = await arrangeWalletTenant(plain);
    const player = await arrangeWalletPlayer(plain, tenant);
    const early = (await player.setScore({ newScore: 5 })).body.transactionHash as string;

    const onChain = await startTestApp({ env, databaseUrl: plain.databaseUrl });
    const working = await startTestWorker(plain, env);
    const later = await arrangeWalletPlayer(onChain, tenant);
    const hash = (await later.setScore({ newScore: 6 })).body.transactionHash as string;
    await confirmed(hash, onChain, tenant);
    assert.equal((await transaction(early, onChain, tenant)).body.recorder, 'hash-chain');
    assert.deepEqual(await chain.entries(tenant.tenantId), (await ledger(plain, tenant.tenantId)).slice(2));
    const known = walletPlayer(onChain, player.bearer);
    const typeAndScore = async () => {
      const { body } = await known.read(player.playerIndex);
      return [body.playerType, body.score];
    };
    assert.deepEqual(await typeAndScore(), [1, 5], 'the chain does not have this player');
    await confirmed(await scoreOf(known, 10), onChain, tenant);
    assert.deepEqual(await typeAndScore(), [1, 10], 'the chain has the score only');
    await working.stop();
    const changed = `0x${'c4'.repeat(32)}`;
    await plain.owner.query(
      `INSERT INTO chain_attempts (hash, position, number, nonce, max_fee, priority_fee, signed)
       SELECT decode(substr($1, 3), 'hex'), position, number + 1, nonce, max_fee, priority_fee, signed FROM chain_attempts
       WHERE hash = decode(substr($2, 3), 'hex')`,
      [changed, hash],
    );
    const ofChanged = await transaction(changed, plain, tenant);
    assert.deepEqual(
      [ofChanged.status, ofChanged.body.transactionHash],
      [200, hash],
      'without the chain, each hash still leads to the entries',
    );

    const back = await arrangeWalletPlayer(plain, tenant);
    await back.setScore({ newScore: 7 });
    const again = await startTestWorker(plain, env);
    await later.setScore({ newScore: 8 });
    const last = await arrangeWalletPlayer(onChain, tenant);
    const final = (await last.setScore({ newScore: 9 })).body.transactionHash as string;
    await confirmed(final, onChain, tenant);
    const report = (row: object) => assert.fail(JSON.stringify(row));
    await verify(plain.databaseUrl, { tenantId: tenant.tenantId }, report, { chain: chain.settings });
    await again.stop();
  });

  test('verifies a ledger that continues on a new chain, with a contract at the same address', async () => {
    const chain = await startTestChain();
    const env = { ...WALLET_ENV, ...chain.env };
    const lost = await startTestApp({ env });
    const tenant = await arrangeWalletTenant(lost);
    const working = await startTestWorker(lost, env);
    // The old chain is longer than the new one.
    await chain.node.ask('anvil_mine', toHex(100));
    const player = await arrangeWalletPlayer(lost, tenant);
    const first = await scoreOf(player, 1);
    await confirmed(first, lost, tenant);
    await working.stop();
    // A signer that was replaced before. None of its calls wait.
    await lost.owner.query(
      `WITH replaced AS (
         INSERT INTO chain_writers (chain_id, contract, signer, next_nonce, base_fee, priority_fee, head_block)
         SELECT chain_id, contract, $1, next_nonce, base_fee, priority_fee, head_block FROM chain_writers RETURNING id)
       UPDATE chain_outbox SET writer_id = (SELECT id FROM replaced)`,
      [someAddress()],
    );
    await scoreOf(player, 2);
    await chain.node.kill();
    await abandonChain(lost.databaseUrl, true);

    await chain.node.start();
    await deployContract(chain.settings);
    const next = await startTestApp({ env, databaseUrl: lost.databaseUrl });
    await startTestWorker(next, env);
    const last = await scoreOf(walletPlayer(next, player.bearer), 3);
    await confirmed(last, next, tenant);
    const report = (row: object) => assert.fail(JSON.stringify(row));
    await verify(next.databaseUrl, { tenantId: tenant.tenantId }, report, { chain: chain.settings });
    assert.equal((await transaction(first, next, tenant)).body.chain.state, 'abandoned');
  });

  test('refuses to start with other settings while calls wait', async () => {
    const waiting = await startTestApp({ env });
    const tenant = await arrangeWalletTenant(waiting);
    await arrangeWalletPlayer(waiting, tenant);
    const database = openDatabase(waiting.databaseUrl, { poolSize: 2 });
    after(() => database.close());
    const refused = (error: Error) =>
      error instanceof OperatorError && /1 transactions wait.*chain abandon/.test(error.message);
    await assert.rejects(openConfiguredChain(database, undefined), refused);
    const other = await startTestChain({ chainId: 4_242 });
    await assert.rejects(openConfiguredChain(database, other.settings), refused);
    assert.ok(await openConfiguredChain(database, chain.settings));
  });

  test('explains wrong settings at the start', async () => {
    const fresh = await startTestApp({ env: WALLET_ENV });
    const database = openDatabase(fresh.databaseUrl, { poolSize: 2 });
    after(() => database.close());
    const start = (more: Partial<TestChain['settings']>) =>
      openConfiguredChain(database, { ...chain.settings, ...more });
    await assert.rejects(start({ rpcUrl: 'http://127.0.0.1:1' }), /does not respond.*first start/);
    /** A node that answers the id of its chain, or nothing. */
    const limited = (chainId?: number) =>
      serveOnLoopback((request, response) => {
        void json(request).then((sent) => {
          const { id, method } = sent as { id: number; method: string };
          const result =
            method === 'eth_chainId' && chainId !== undefined
              ? { result: toHex(chainId) }
              : { error: { code: -32005, message: 'limit exceeded' } };
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ jsonrpc: '2.0', id, ...result }));
        });
      });
    await assert.rejects(
      start({ rpcUrl: await limited() }),
      /returns an error \(limit exceeded\).*first start/,
    );
    await assert.rejects(
      start({ contract: '0x00000000000000000000000000000000000000AA' }),
      /no contract at 0x0{38}AA/,
    );
    await assert.rejects(
      start({ signerKey: `0x${'7'.repeat(64)}` }),
      /may not write to the contract.*setWriter/,
    );
    await start({});
    assert.ok(
      await start({ rpcUrl: 'http://127.0.0.1:1' }),
      'after the first start the node may be unavailable',
    );
    await assert.rejects(start({ rpcUrl: await limited(4_243) }), /returns an error \(limit exceeded\)/);
  });

  test('starts and records while the node does not have the contract, and shows the waiting calls', async () => {
    const chain = await startTestChain();
    const env = { ...WALLET_ENV, ...chain.env };
    const app = await startTestApp({ env });
    const tenant = await arrangeWalletTenant(app);
    // A node that synchronizes again knows no contract yet.
    await chain.node.kill();
    await chain.node.start();
    const again = await startTestApp({ env, databaseUrl: app.databaseUrl });
    const player = await arrangeWalletPlayer(again, tenant);
    await scoreOf(player, 1);
    const status = await chainStatus(app.databaseUrl, readConfig(env));
    assert.match(status, /pending +2, [^]*problem +The chain has no contract at/);
  });

  test('answers calls while the node is unavailable, and sends them afterwards', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-chain-'));
    context.after(() => rm(folder, { recursive: true }));
    const chain = await startTestChain({ state: join(folder, 'state') });
    const env = { ...WALLET_ENV, ...chain.env };
    const app = await startTestApp({ env });
    await startTestWorker(app, env);
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    await confirmed(await scoreOf(player, 1), app, tenant);
    await chain.node.saved();
    await chain.node.kill();
    let last = '';
    for (let score = 2; score <= 20; score++) last = await scoreOf(player, score);
    assert.equal((await player.read(player.playerIndex)).body.score, 20);
    const lookUp = `/api/BlockchainStorage/players/lookup/address/${player.address}`;
    assert.equal((await app.http.get(lookUp, tenant)).body.playerIndex, player.playerIndex);
    await chain.node.start();
    await confirmed(last, app, tenant);
    assert.deepEqual(await chain.entries(tenant.tenantId), await ledger(app, tenant.tenantId));
  });
});
