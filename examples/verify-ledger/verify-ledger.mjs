// Checks, without asking anybody, that a transaction belongs to a ledger whose head somebody wrote down: so nothing up to
// that head was changed since. See README.md.
import { readFileSync } from 'node:fs';
import { concat, hexToBytes, keccak256, stringToBytes } from 'viem';

const [transactionFile, head = '', ...pageFiles] = process.argv.slice(2);
const [headIndex, headHash] = head.split(':');
if (!headHash) fail('Usage: verify-ledger.mjs transaction.json <index>:<hash> [page.json …]');

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const link = (before, content) => keccak256(hexToBytes(concat([before, content])));

const contentHashes = new Map();
for (const { index, contentHash } of pageFiles.flatMap((file) => read(file).items))
  contentHashes.set(index, contentHash);

for (const { index, canonical, previousHash } of read(transactionFile).entries) {
  if (index > Number(headIndex)) fail(`Entry ${index} came after the head ${headIndex}.`);
  let hash = link(previousHash, keccak256(stringToBytes(canonical)));
  for (let next = index + 1; next <= Number(headIndex); next++) {
    if (!contentHashes.has(next)) fail(`The pages lack entry ${next}.`);
    hash = link(hash, contentHashes.get(next));
  }
  if (hash !== headHash) fail(`Entry ${index} is not in the ledger with that head.`);
  console.log(`Entry ${index} is in the ledger, and says: ${canonical}`);
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
