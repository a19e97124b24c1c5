/**
 * Checks, without asking anybody, that a transaction belongs to a ledger whose head somebody wrote down: so nothing up to that
 * head was changed since. See README.md.
 */
import { readFileSync } from 'node:fs';
import { concat, hexToBytes, keccak256, stringToBytes, type Hex } from 'viem';

interface Entry {
  index: number;
  canonical: string;
  previousHash: Hex;
}
interface Link {
  index: number;
  contentHash: Hex;
}

const [transactionFile, head = '', ...pageFiles] = process.argv.slice(2);
const [headIndex, headHash] = [Number(head.split(':')[0]), head.split(':')[1]];
if (!transactionFile || !headHash)
  fail('Usage: verify-ledger.ts transaction.json <index>:<hash> [page.json …]');
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const { entries } = read(transactionFile) as { entries: Entry[] };
const links = new Map<number, Hex>();
for (const { index, contentHash } of pageFiles.flatMap((file) => read(file).items as Link[]))
  links.set(index, contentHash);

for (const { index, canonical, previousHash } of entries) {
  const link = (before: Hex, content: Hex) => keccak256(hexToBytes(concat([before, content])));
  let hash = link(previousHash, keccak256(stringToBytes(canonical)));
  for (let next = index + 1; next <= headIndex; next++) {
    const content = links.get(next);
    if (!content) fail(`The pages lack entry ${next}.`);
    hash = link(hash, content);
  }
  if (index > headIndex) fail(`Entry ${index} came after the head ${headIndex}.`);
  if (hash !== headHash) fail(`Entry ${index} is not in the ledger with that head.`);
  console.log(`Entry ${index} is in the ledger, and says: ${canonical}`);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
