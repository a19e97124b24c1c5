import { readFileSync } from 'node:fs';
import solc from 'solc';

const FILE = 'GuildhallLedger.sol';

/**
 * Compiles the contract to the text of `guildhall-ledger.ts`, in about one second. All EVM chains support the version `paris`.
 * Without metadata, the bytecode depends only on the source and the compiler.
 */
export function compileLedger(): string {
  const input = {
    language: 'Solidity',
    sources: { [FILE]: { content: readFileSync(new URL(FILE, import.meta.url), 'utf8') } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 10_000 },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: { formattedMessage: string }[];
    contracts: Record<string, Record<string, { abi: object[]; evm: { bytecode: { object: string } } }>>;
  };
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const { abi, evm } = contracts[FILE]!['GuildhallLedger']!;
  return [
    `// Made of ${FILE} by \`npm run contracts\`, with solc ${solc.version()}.`,
    `export const guildhallLedgerAbi = ${JSON.stringify(abi, null, 2)} as const;`,
    `export const guildhallLedgerBytecode =\n  '0x${evm.bytecode.object}';`,
    '',
  ].join('\n');
}
