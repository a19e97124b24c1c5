// Verifies, without the server, that an entry belongs to the ledger that ends in a stored head. If it does, no entry from it to
// the head was changed. See README.md.
import { readFileSync } from 'node:fs';
import { concat, hexToBytes, keccak256, stringToBytes } from 'viem';

const USAGE = 'Usage: verify-ledger.mjs <transaction hash> <index>:<hash> transaction.json [page.json …]';

const [wanted, given, file, ...pages] = process.argv.slice(2);
const [, headIndex, headHash] = /^(\d+):(0x[0-9a-f]{64})$/.exec(given) ?? fail(USAGE);
if (file === undefined) fail(USAGE);

const link = (previousHash, contentHash) => keccak256(hexToBytes(concat([previousHash, contentHash])));
const hashOf = ({ previousHash, canonical }) => link(previousHash, keccak256(stringToBytes(canonical)));

const { entries = [], items = [] } = read(file);
const links = [...items, ...pages.flatMap((page) => read(page).items)];
const contentHashes = new Map(links.map(({ index, contentHash }) => [index, contentHash]));

// The file comes from the server, so the hash decides which entry it must have.
const entry =
  entries.find((one) => hashOf(one) === wanted) ?? fail(`${file} has no entry with the hash ${wanted}.`);
const { index, canonical } = entry;
if (index > Number(headIndex)) fail(`Entry ${index} came after the head ${headIndex}.`);
let hash = wanted;
for (let next = index + 1; next <= Number(headIndex); next++) {
  if (!contentHashes.has(next)) fail(`The pages lack entry ${next}.`);
  hash = link(hash, contentHashes.get(next));
}
if (hash !== headHash) fail(`Entry ${index} is not in the ledger with that head.`);
console.log(`Entry ${index} is in the ledger with the head ${given}, and says: ${canonical}`);

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return fail(`${path} cannot be read: ${error.message}`);
  }
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
