import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp } from './test-app.ts';
import { arrangeWalletPlayer, arrangeWalletTenant, WALLET_ENV } from './wallet-recording.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/verify-ledger/verify-ledger.mjs', import.meta.url));

const app = await startTestApp({ env: WALLET_ENV });
const tenant = await arrangeWalletTenant(app);
const player = await arrangeWalletPlayer(app, tenant);
const folder = await mkdtemp(join(tmpdir(), 'guildhall-ledger-'));
after(() => rm(folder, { recursive: true }));

const read = async (path: string) =>
  (await app.http.get(`/api/BlockchainStorage/transactions${path}`, { gameKey: tenant.gameKey })).body;

const scores: { transactionHash: string }[] = [];
for (const newScore of [1, 2, 3, 4, 5]) scores.push((await player.setScore({ newScore })).body);
const { head } = await read('?limit=1');
await player.setScore({ newScore: 6 });
const transaction = await read(`/${scores[1]!.transactionHash}`);
const pages = [await read('?from=1&limit=2'), await read('?from=3&limit=1000')];

/** Runs the program on files, like a third party. */
async function verify(given: { hash?: string; transaction?: unknown; head?: string; pages?: unknown[] }) {
  const hash = scores[1]!.transactionHash;
  const all = { hash, transaction, head: `${head.index}:${head.hash}`, pages, ...given };
  const files = [all.transaction, ...all.pages].map((content, number) => ({
    path: join(folder, `${number}.json`),
    content: JSON.stringify(content),
  }));
  for (const { path, content } of files) await writeFile(path, content);
  const [first, ...rest] = files.map(({ path }) => path);
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [PROGRAM, all.hash, all.head, first!, ...rest], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

describe('examples/verify-ledger', () => {
  test('proves that an entry is in the ledger of a head', async () => {
    assert.equal(head.index, 6);
    const { code, stdout, stderr } = await verify({});
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^Entry 3 is in the ledger with the head 6:0x\w+, and says: \["guildhall-wallet-1",.*\{"score":"2"\}\]\n$/,
    );
  });

  test('proves the head entry without further links', async () => {
    const newest = await read(`/${scores[4]!.transactionHash}`);
    const hash = newest.transactionHash;
    assert.equal((await verify({ hash, transaction: newest, pages: [] })).code, 0);
  });

  test('rejects a changed entry, another entry of the ledger, and no entry', async () => {
    const changed = structuredClone(transaction);
    changed.entries[0].canonical = changed.entries[0].canonical.replace('"2"', '"9"');
    const other = await read(`/${scores[2]!.transactionHash}`);
    const none = { ...transaction, entries: [] };
    for (const given of [changed, other, none, {}]) {
      const { code, stderr } = await verify({ transaction: given });
      assert.equal(code, 1);
      assert.match(stderr, /has no entry with the hash/);
    }
  });

  test('rejects a changed link and another head', async () => {
    const otherLinks = structuredClone(pages);
    otherLinks[1].items[1].contentHash = otherLinks[1].items[2].contentHash;
    for (const given of [
      { pages: otherLinks },
      { head: `6:0x${'0'.repeat(64)}` },
      { head: `5:${head.hash}` },
    ]) {
      const { code, stderr } = await verify(given);
      assert.equal(code, 1);
      assert.match(stderr, /is not in the ledger/);
    }
  });

  test('names missing links and a missing head', async () => {
    assert.match((await verify({ pages: [] })).stderr, /lack entry 4/);
    assert.match((await verify({ head: `2:${head.hash}` })).stderr, /came after/);
    for (const given of ['x', 'x:0x1', `${head.index}:`, head.hash])
      assert.match((await verify({ head: given })).stderr, /Usage/, given);
  });
});
