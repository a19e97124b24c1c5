import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  createPublicClient,
  createWalletClient,
  getContract,
  http,
  keccak256,
  parseEventLogs,
  toHex,
  zeroAddress,
  zeroHash,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { richKeys, startEvmNode } from '../src/testing/evm-node.ts';
import { compileLedger } from './compile.ts';
import { guildhallLedgerAbi as abi, guildhallLedgerBytecode as bytecode } from './guildhall-ledger.ts';

const node = await startEvmNode();
const chain = createPublicClient({ chain: foundry, transport: http(node.url), pollingInterval: 10 });
const [owner, writer, stranger] = richKeys.map((key) =>
  createWalletClient({ account: privateKeyToAccount(key), chain: foundry, transport: http(node.url) }),
) as [Wallet, Wallet, Wallet];
type Wallet = ReturnType<
  typeof createWalletClient<ReturnType<typeof http>, typeof foundry, ReturnType<typeof privateKeyToAccount>>
>;

const TENANT = `0x${'7e'.repeat(16)}` as const;
const hashes = (count: number, from = 1): Hex[] =>
  Array.from({ length: count }, (_, index) => keccak256(toHex(from + index)));
const name = (text: string): Hex => keccak256(toHex(text));

/** A wallet whose writes wait until they are mined. The node answers before that. */
const mined = (wallet: Wallet): Wallet => ({
  ...wallet,
  writeContract: async (request) => {
    const hash = await wallet.writeContract(request);
    await chain.waitForTransactionReceipt({ hash });
    return hash;
  },
});

async function deploy() {
  const args = [owner.account.address, writer.account.address] as const;
  const hash = await owner.deployContract({ abi, bytecode, args });
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash });
  const as = (wallet: Wallet) =>
    getContract({ abi, address: contractAddress!, client: { public: chain, wallet: mined(wallet) } });
  const logs = async (hash: Hex) =>
    parseEventLogs({ abi, logs: (await chain.waitForTransactionReceipt({ hash })).logs });
  return { ...as(writer), as, logs };
}

describe('guildhall-ledger.ts', () => {
  test('equals the compiled source', () => {
    const committed = readFileSync(new URL('guildhall-ledger.ts', import.meta.url), 'utf8');
    assert.equal(compileLedger(), committed, 'run `npm run contracts`');
  });
});

describe('GuildhallLedger roles', () => {
  test('allow only the writer to append', async () => {
    const ledger = await deploy();
    for (const wallet of [owner, stranger])
      await assert.rejects(ledger.as(wallet).write.append([TENANT, 0n, 1n, hashes(1), [], []]), /NotWriter/);
    await ledger.write.append([TENANT, 0n, 1n, hashes(1), [], []]);
    assert.deepEqual(await ledger.read.heads([TENANT]), [1n, hashes(1)[0]]);
  });

  test('allow only the owner to set the writer, and stop the previous writer', async () => {
    const ledger = await deploy();
    for (const wallet of [writer, stranger])
      await assert.rejects(ledger.as(wallet).write.setWriter([stranger.account.address]), /NotOwner/);
    await ledger.as(owner).write.setWriter([stranger.account.address]);
    await assert.rejects(ledger.write.append([TENANT, 0n, 1n, hashes(1), [], []]), /NotWriter/);
    await ledger.as(stranger).write.append([TENANT, 0n, 1n, hashes(1), [], []]);
  });

  test('transfer the ownership when the offered account accepts', async () => {
    const ledger = await deploy();
    const offer = [stranger.account.address] as const;
    await assert.rejects(ledger.as(stranger).write.offerOwnership(offer), /NotOwner/);
    await assert.rejects(ledger.as(stranger).write.acceptOwnership(), /NotOwner/);
    await ledger.as(owner).write.offerOwnership(offer);
    assert.equal(await ledger.read.owner(), owner.account.address, 'an offer does not change the owner');
    await assert.rejects(ledger.as(writer).write.acceptOwnership(), /NotOwner/);
    await ledger.as(stranger).write.acceptOwnership();
    assert.equal(await ledger.read.owner(), stranger.account.address);
    assert.equal(await ledger.read.nextOwner(), zeroAddress);
    await assert.rejects(ledger.as(owner).write.setWriter(offer), /NotOwner/);
  });
});

describe('GuildhallLedger.append', () => {
  test('emits an event for each entry, in order, and moves the head to the last entry', async () => {
    const ledger = await deploy();
    await ledger.write.append([TENANT, 0n, 1n, hashes(2), [], []]);
    const hash = await ledger.write.append([TENANT, 2n, 3n, hashes(32, 3), [], []]);
    const logs = await ledger.logs(hash);
    assert.deepEqual(
      logs.map(({ args }) => args),
      hashes(32, 3).map((hash, index) => ({ tenant: TENANT, index: BigInt(index + 3), hash })),
    );
    assert.deepEqual(await ledger.read.heads([TENANT]), [34n, hashes(1, 34)[0]]);
  });

  test('refuses batches that are duplicate, early, backwards or empty', async () => {
    const ledger = await deploy();
    await ledger.write.append([TENANT, 0n, 1n, hashes(3), [], []]);
    const refused = async (follows: bigint, first: bigint, error: RegExp, entries = hashes(1)) =>
      assert.rejects(ledger.write.append([TENANT, follows, first, entries, [], []]), error);
    await refused(0n, 1n, /OutOfOrder\(uint64 head, uint64 expected\)\s+\(3, 0\)/, hashes(3));
    await refused(4n, 5n, /OutOfOrder/);
    await refused(3n, 3n, /OutOfOrder/);
    await refused(3n, 4n, /EmptyBatch/, []);
    await refused(3n, 2n ** 64n - 1n, /overflow|0x11/i, hashes(2));
    assert.deepEqual(await ledger.read.heads([TENANT]), [3n, hashes(1, 3)[0]]);
  });

  test('emits Skipped for entries that were recorded elsewhere', async () => {
    const ledger = await deploy();
    const first = await ledger.logs(await ledger.write.append([TENANT, 0n, 11n, hashes(1), [], []]));
    assert.deepEqual(
      [first[0]!.eventName, first[0]!.args],
      ['Skipped', { tenant: TENANT, first: 1n, last: 10n }],
    );
    const later = await ledger.logs(await ledger.write.append([TENANT, 11n, 21n, hashes(1), [], []]));
    assert.deepEqual(later[0]!.args, { tenant: TENANT, first: 12n, last: 20n });
    assert.equal((await ledger.read.heads([TENANT]))[0], 21n);
  });

  test('keeps the ledgers of tenants separate', async () => {
    const ledger = await deploy();
    const other = `0x${'0a'.repeat(16)}` as const;
    const player = { index: 1n, kind: 1, name: name('ada'), account: name('0xada') };
    await ledger.write.append([TENANT, 0n, 1n, hashes(1), [player], []]);
    assert.deepEqual(await ledger.read.heads([other]), [0n, zeroHash]);
    assert.equal(await ledger.read.playerOfName([other, name('ada')]), 0n);
    await ledger.write.append([other, 0n, 1n, hashes(1), [], []]);
  });

  test('stores players by name and account, with their newest score', async () => {
    const ledger = await deploy();
    const player = (index: bigint, who: string) => ({
      index,
      kind: 1,
      name: name(who),
      account: name(`0x${who}`),
    });
    await ledger.write.append([
      TENANT,
      0n,
      1n,
      hashes(4),
      [player(1n, 'ada'), player(2n, 'bob')],
      [
        { index: 1n, score: 5n },
        { index: 1n, score: -(2n ** 63n) },
      ],
    ]);
    assert.equal(await ledger.read.playerOfName([TENANT, name('bob')]), 2n);
    assert.equal(await ledger.read.playerOfAccount([TENANT, name('0xada')]), 1n);
    const [ada, bob] = await Promise.all([
      ledger.read.players([TENANT, 1n]),
      ledger.read.players([TENANT, 2n]),
    ]);
    assert.deepEqual(ada, [name('ada'), name('0xada'), -(2n ** 63n), 4n, 1]);
    assert.deepEqual(bob, [name('bob'), name('0xbob'), 0n, 4n, 1]);
  });

  test('adds a full batch of new players within a quarter of the gas limit', async () => {
    const ledger = await deploy();
    const players = Array.from({ length: 32 }, (_, index) => ({
      index: BigInt(index + 1),
      kind: 1,
      name: name(`player ${index}`),
      account: name(`account ${index}`),
    }));
    const hash = await ledger.write.append([TENANT, 0n, 1n, hashes(32), players, []]);
    const { gasUsed } = await chain.waitForTransactionReceipt({ hash });
    // A transaction may use at most 2^24 gas (EIP-7825). A quarter of that also fits on chains with smaller blocks.
    assert.ok(gasUsed < 4_200_000n, String(gasUsed));
  });
});
