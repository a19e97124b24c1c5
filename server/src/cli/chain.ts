import type { Config } from '../runtime/config.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { evmAddress } from '../core/evm-address.ts';
import {
  abandonWaiting,
  ChainConfigurationError,
  deployContract,
  describeChain,
  openChain,
  type ChainSettings,
} from '../features/wallet/chain/index.ts';

/** Deploys the contract, and returns what the operator should do with it, in lines. */
export async function deployLedgerContract(
  settings: Pick<ChainSettings, 'rpcUrl' | 'signerKey'>,
  owner: string | undefined,
): Promise<string> {
  const ownedBy = owner === undefined ? undefined : evmAddress(owner);
  if (owner !== undefined && !ownedBy) throw new ChainConfigurationError(`"${owner}" is not an EVM address.`);
  const deployed = await deployContract(settings, ownedBy);
  return [
    `Deployed the contract on chain ${deployed.chainId}, by transaction ${deployed.hash}.`,
    `Its owner is ${deployed.owner}, its writer ${deployed.writer}.`,
    'Set this, and start the server:',
    '',
    `CHAIN_CONTRACT_ADDRESS=${deployed.contract}`,
  ].join('\n');
}

/** How things stand with the chain, in lines. */
export async function chainStatus(databaseUrl: string, { chain }: Config): Promise<string> {
  if (!chain) throw new ChainConfigurationError('There is no chain: none of the CHAIN_ settings is set.');
  return withDatabase(databaseUrl, async (database) =>
    (await describeChain(database, await openChain(database, chain))).join('\n'),
  );
}

/** Gives up what waits for a chain that is gone. */
export async function abandonChain(databaseUrl: string): Promise<string> {
  const count = await withDatabase(databaseUrl, abandonWaiting);
  return `${count} transactions are given up. Their entries stay in the ledger of the database.`;
}

async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(url, { poolSize: 2, work: 'job' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
