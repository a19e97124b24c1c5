// Verifies, without the server, that a transaction belongs to the ledger that ends in a stored head. If it does, no entry from
// the transaction to the head was changed. See README.md.
import { readFileSync } from 'node:fs';
import { concat, hexToBytes, keccak256, stringToBytes } from 'viem';

const USAGE = `Usage: verify-ledger.mjs proof.json
       verify-ledger.mjs transaction.json <index>:<hash> [page.json …]`;

const { head, transaction, links } = readProof(process.argv.slice(2));
const link = (previousHash, contentHash) => keccak256(hexToBytes(concat([previousHash, contentHash])));
const contentHashes = new Map(links.map(({ index, contentHash }) => [index, contentHash]));

for (const { index, canonical, previousHash } of transaction.entries) {
  if (index > head.index) fail(`Entry ${index} came after the head ${head.index}.`);
  let hash = link(previousHash, keccak256(stringToBytes(canonical)));
  for (let next = index + 1; next <= head.index; next++) {
    if (!contentHashes.has(next)) fail(`The pages lack entry ${next}.`);
    hash = link(hash, contentHashes.get(next));
  }
  if (hash !== head.hash) fail(`Entry ${index} is not in the ledger with that head.`);
  console.log(`Entry ${index} is in the ledger, and says: ${canonical}`);
}

/** Reads a proof from one file that the wallet game has written, or from a transaction, a head and pages of links. */
function readProof([first, given, ...pages]) {
  if (first === undefined) fail(USAGE);
  if (given === undefined) {
    const { head, transaction, links } = read(first);
    return head && transaction && links ? { head, transaction, links } : fail(USAGE);
  }
  const [index, hash] = given.split(':');
  if (!hash) fail(USAGE);
  const links = pages.flatMap((file) => read(file).items);
  return { head: { index: Number(index), hash }, transaction: read(first), links };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return fail(`${file} cannot be read: ${error.message}`);
  }
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
