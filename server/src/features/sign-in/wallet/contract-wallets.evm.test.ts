import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import {
  concatHex,
  createTestClient,
  encodeDeployData,
  getAddress,
  getCreate2Address,
  http,
  publicActions,
  serializeErc6492Signature,
  walletActions,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { compileContracts, startEvmNode } from '../../../testing/evm-node.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { someWallet } from '../../../testing/wallets.ts';

const node = await startEvmNode({ chainId: 31_337 });
const twin = await startEvmNode({ chainId: 31_338 });
const dying = await startEvmNode({ chainId: 31_339 });
/** The response of the node of chain 666. */
let answerOddly: RequestListener = (_request, response) => void response.end();
const urls = {
  ...Object.fromEntries([node, twin, dying].map(({ chainId, url }) => [chainId, url])),
  666: await serveOnLoopback((request, response) => answerOddly(request, response)),
};
const WALLET_RPC_URLS = Object.entries(urls)
  .map(([chainId, url]) => `${chainId}=${url}`)
  .join();
const app = await startTestApp({ env: { WALLET_RPC_URLS } });
const tenant = await arrangeTenant(app, { providers: ['EvmWallet'] });
const contracts = compileContracts(new URL('../../../testing/contracts/wallets.sol', import.meta.url));
const owner = someWallet();
const stranger = someWallet();

/** Deploys a contract from the first account of a new node. The same order of deployments gives the same addresses on every node. */
async function deploy(url: string, name: string, ...args: unknown[]): Promise<Address> {
  const client = createTestClient({ mode: 'anvil', transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = await client.getAddresses();
  const { abi, bytecode } = contracts[name]!;
  const hash = await client.deployContract({ abi, bytecode, args, account: account!, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  return getAddress(contractAddress!);
}

/** Signs in as an address with the signature that `sign` returns for the message. */
async function logIn(
  address: Address,
  chainId: number,
  sign: (message: string) => Promise<string>,
  keys = tenant,
) {
  const { status, body } = await app.http.post(
    '/api/player-auth/wallet/challenge',
    { address, chainId },
    keys,
  );
  assert.equal(status, 200);
  const { message } = body;
  return app.http.post('/api/player-auth/wallet/verify', { message, signature: await sign(message) }, keys);
}
const by = (signer: typeof owner) => (message: string) => signer.signMessage({ message });

const wallet = await deploy(node.url, 'OwnerWallet', owner.address);

async function userIdOf(playerId: string): Promise<string> {
  const { rows } = await app.owner.query('SELECT provider_user_id FROM auth_methods WHERE player_id = $1', [
    playerId,
  ]);
  return rows[0].provider_user_id;
}

describe('sign-in with a contract wallet', () => {
  test('accepts the signature of the owner only', async () => {
    const first = await logIn(wallet, node.chainId, by(owner));
    assert.equal(first.status, 200, first.text);
    assert.equal(await userIdOf(first.body.playerId), `eip155:31337:${wallet}`);
    const again = await logIn(wallet, node.chainId, by(owner));
    assert.deepEqual([again.body.playerId, again.body.isNewPlayer], [first.body.playerId, false]);

    const wrong: ((message: string) => Promise<string>)[] = [
      by(stranger),
      (message) => owner.signMessage({ message: `${message} ` }),
      async () => '0x',
      async () => '0x0',
      async () => '0xzz',
      async () => `0x${'0'.repeat(130)}`,
      async () => `0x${'ab'.repeat(8191)}`,
      async (message) => `${await owner.signMessage({ message })}00`,
    ];
    for (const sign of wrong) {
      const answer = await logIn(wallet, node.chainId, sign);
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials'], sign.toString());
    }
  });

  test('keeps the owner’s own address and the contract separate', async () => {
    const own = await logIn(owner.address, node.chainId, by(owner));
    assert.equal(await userIdOf(own.body.playerId), owner.address);
  });

  test('treats the same address on another chain as another player', async () => {
    const theirs = await deploy(twin.url, 'OwnerWallet', stranger.address);
    assert.equal(theirs, wallet, 'the attacker deploys at the same address');
    const mine = await logIn(wallet, node.chainId, by(owner));
    const attack = await logIn(wallet, twin.chainId, by(stranger));
    assert.equal(attack.status, 200);
    assert.notEqual(attack.body.playerId, mine.body.playerId);
    assert.equal((await logIn(wallet, twin.chainId, by(owner))).status, 401);
    assert.equal((await logIn(wallet, node.chainId, by(stranger))).status, 401);
  });

  test('returns 401 when the contract refuses, returns other data, fails or never ends, and when there is no contract', async () => {
    for (const name of ['TrustingWallet', 'Echo', 'RevertingWallet', 'FloodWallet', 'EndlessWallet']) {
      const answer = await logIn(await deploy(node.url, name), node.chainId, by(owner));
      assert.deepEqual(
        [answer.status, answer.body.code],
        [401, 'invalid_credentials'],
        `${name}: ${answer.text}`,
      );
    }
    // The precompiled contract 4 returns its input.
    for (const address of [stranger.address, `0x${'4'.padStart(40, '0')}`] as const)
      assert.equal((await logIn(address, node.chainId, by(owner))).status, 401, address);
    // No node is configured for this chain.
    assert.equal((await logIn(wallet, 1, by(owner))).status, 401);
  });

  test('is not blocked by wallets that return much data', async () => {
    const flood = await deploy(node.url, 'FloodWallet');
    for (let count = 0; count < 6; count++)
      assert.equal((await logIn(flood, node.chainId, by(stranger))).status, 401);
    assert.equal((await logIn(wallet, node.chainId, by(owner))).status, 200);
  });

  test('accepts a wallet before and after its deployment (ERC-6492)', async () => {
    // The deployer of CREATE2 contracts, at this address on nearly every chain.
    const factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
    const { abi, bytecode } = contracts['OwnerWallet']!;
    const code = encodeDeployData({ abi, bytecode, args: [owner.address] });
    const future = getCreate2Address({ from: factory, salt: zeroHash, bytecode: code });
    const data = concatHex([zeroHash, code]);
    const wrapped = (signer: typeof owner) => async (message: string) =>
      serializeErc6492Signature({ address: factory, data, signature: await signer.signMessage({ message }) });

    const before = await logIn(future, node.chainId, wrapped(owner));
    assert.equal(before.status, 200, before.text);
    assert.equal((await logIn(future, node.chainId, wrapped(stranger))).status, 401);
    assert.equal((await logIn(wallet, node.chainId, wrapped(stranger))).status, 401);
    assert.equal(
      (await logIn(future, node.chainId, by(owner))).status,
      401,
      'without the ERC-6492 envelope the wallet does not exist yet',
    );
    for (const broken of ['0x', '0xffff'] as const) {
      const sign = async (message: string) =>
        serializeErc6492Signature({
          address: factory,
          data: broken,
          signature: await owner.signMessage({ message }),
        });
      assert.equal((await logIn(future, node.chainId, sign)).status, 401);
    }
    assert.equal((await logIn(future, node.chainId, async () => `0x${'6492'.repeat(16)}`)).status, 401);

    const client = createTestClient({ mode: 'anvil', transport: http(node.url) })
      .extend(publicActions)
      .extend(walletActions);
    const [account] = await client.getAddresses();
    const hash = await client.sendTransaction({ account: account!, chain: null, to: factory, data });
    await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    for (const sign of [by(owner), wrapped(owner)]) {
      const after = await logIn(future, node.chainId, sign);
      assert.equal(after.body.playerId, before.body.playerId);
    }
  });

  test('returns 502 for malformed node responses', async () => {
    const error = (code: number, message: string) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });
    const answers: [status: number, text: string][] = [
      [200, ''],
      [200, 'null'],
      [200, '[]'],
      [200, '{}'],
      [200, '<html>'],
      [200, '{"result":null}'],
      [200, '{"result":5}'],
      [200, error(-32005, 'limit exceeded')],
      [200, error(-32000, 'header not found')],
      [403, error(-32600, 'Unauthorized')],
      [429, error(-32005, 'slow down')],
      [500, ''],
    ];
    for (const [status, text] of answers) {
      answerOddly = (_request, response) => void response.writeHead(status).end(text);
      const answer = await logIn(wallet, 666, by(stranger));
      assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable'], text);
    }
    for (const text of [
      error(3, 'execution reverted'),
      error(-32000, 'out of gas'),
      error(-32015, 'VM execution error.'),
      error(-32000, 'invalid opcode: INVALID'),
      error(-32000, 'invalid jump destination'),
      error(-32603, 'EVM error OutOfGas'),
      error(-32603, 'VM Exception while processing transaction'),
      '{"result":"0x"}',
      `{"result":"0x1626ba7e"}`,
      `{"result":"0xffffffff${'0'.repeat(56)}"}`,
    ]) {
      answerOddly = (_request, response) => void response.end(text);
      assert.equal((await logIn(wallet, 666, by(stranger))).status, 401, text);
    }
  });

  test('sends one request with a gas limit to the node, and none if a key signed', async () => {
    const asked: { method: string; params: [{ from: Hex; gas: Hex; to?: Hex }, string] }[] = [];
    answerOddly = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        asked.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.end('{"result":"0x"}');
      });
    };
    assert.equal((await logIn(owner.address, 666, by(owner))).status, 200);
    assert.equal(asked.length, 0);
    assert.equal((await logIn(wallet, 666, by(owner))).status, 401);
    assert.deepEqual(
      asked.map(({ method, params: [call, block] }) => [method, call.to, Number(call.gas), block]),
      [['eth_call', wallet, 10_485_760, 'latest']],
    );
  });

  test('returns 429 after 900 requests to a node from one network in 15 minutes, even if the signatures are correct', async () => {
    let calls = 0;
    answerOddly = (_request, response) => {
      calls++;
      response.end(`{"result":"0x1626ba7e${'0'.repeat(56)}"}`);
    };
    const busy = await arrangeTenant(app, { providers: ['EvmWallet'] });
    const signIn = async () => {
      const challenge = { address: wallet, chainId: 666 };
      const { body } = await app.http.post('/api/player-auth/wallet/challenge', challenge, busy);
      const { message } = body;
      const verify = { message, signature: '0x00', createAccountIfMissing: false };
      return app.http.post('/api/player-auth/wallet/verify', verify, busy);
    };
    for (let sent = 0; sent < 900; sent += 30) {
      const answers = await Promise.all(Array.from({ length: 30 }, signIn));
      // The signature is correct, and the player does not exist.
      for (const { status, text } of answers) assert.equal(status, 404, text);
    }
    const refused = await signIn();
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts'], refused.text);
    assert.ok(Number(refused.headers.get('retry-after')) > 500);
    assert.equal(calls, 900);
    assert.equal((await logIn(owner.address, 666, by(owner), busy)).status, 200, 'keys need no node');
    assert.equal((await logIn(wallet, 666, by(stranger))).status, 200, 'each tenant has its own limit');
  });

  test('returns 502 when the node is unavailable, but accepts signatures of keys', async () => {
    assert.equal(
      (await logIn(await deploy(dying.url, 'OwnerWallet', owner.address), dying.chainId, by(owner))).status,
      200,
    );
    await dying.kill();
    for (let count = 0; count < 6; count++) {
      const answer = await logIn(wallet, dying.chainId, by(owner));
      assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable']);
    }
    assert.equal((await logIn(stranger.address, dying.chainId, by(stranger))).status, 200);
    assert.equal(
      (await logIn(wallet, node.chainId, by(owner))).status,
      200,
      'the nodes of other chains are still requested',
    );
    await dying.start();
    const other = await arrangeTenant(app, { providers: ['EvmWallet'] });
    assert.equal(
      (await logIn(stranger.address, dying.chainId, async () => '0x00', other)).status,
      401,
      'the failures of one tenant do not affect others',
    );
  });
});
