import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { readDeployment, type Config } from '../runtime/config.ts';
import { evmAddress } from '../core/evm-address.ts';
import { OperatorError } from '../core/operator-error.ts';
import {
  abandonWaiting,
  countOpen,
  deployContract,
  describeChain,
  openChain,
  type DeploymentSettings,
} from '../features/wallet/chain/index.ts';
import { withStorage } from './command.ts';

export const chainCommand = new Command('chain').description(
  'manage the EVM chain that wallet recordings are written to',
);

chainCommand
  .command('deploy')
  .description(
    'deploy the contract on the chain of CHAIN_RPC_URL, paid for and written to by CHAIN_SIGNER_KEY',
  )
  .option('--owner <address>', 'who may change the writer; the default is the signer')
  .action(async ({ owner }: { owner?: string }) =>
    console.log(await deployLedgerContract(readDeployment(), owner)),
  );

chainCommand
  .command('status')
  .description('show waiting and final transactions, and whether the signer can pay')
  .action(() => withStorage(async (url, config) => console.log(await chainStatus(url, config))));

chainCommand
  .command('abandon')
  .description(
    'abandon the transactions that wait for a chain that no longer exists, or for a lost key, permanently; without --yes, only count them',
  )
  .option('--yes', 'abandon them', false)
  .action(({ yes }: { yes: boolean }) =>
    withStorage(async (url) => console.log(await abandonChain(url, yes))),
  );

/** Deploys the contract, and returns what the operator should do with it, in lines. */
async function deployLedgerContract(
  settings: DeploymentSettings,
  owner: string | undefined,
): Promise<string> {
  const ownedBy = owner === undefined ? undefined : evmAddress(owner);
  if (owner !== undefined && !ownedBy) throw new OperatorError(`"${owner}" is not an EVM address.`);
  const deployed = await deployContract(settings, {
    ...(ownedBy && { owner: ownedBy }),
    // If the command is interrupted, the operator must not pay for another contract.
    onSent: (hash, contract) =>
      console.error(
        `Sent the transaction ${hash}. When a block contains it, the contract is at ${contract}.`,
      ),
  });
  return [
    `Deployed the contract on chain ${deployed.chainId}, by transaction ${deployed.hash}.`,
    `Its owner is ${deployed.owner}, its writer ${deployed.writer}.`,
    'Set this, and start the server:',
    '',
    `CHAIN_CONTRACT_ADDRESS=${deployed.contract}`,
  ].join('\n');
}

/** The status of the chain, as lines for the operator. */
export async function chainStatus(databaseUrl: string, { chain }: Config): Promise<string> {
  if (!chain) throw new OperatorError('There is no chain: none of the CHAIN_ settings is set.');
  return withDatabaseAt(databaseUrl, async (database) =>
    (await describeChain(database, await openChain(database, chain))).join('\n'),
  );
}

/** Abandons the transactions that wait for a chain that no longer exists, or counts them. Returns a sentence for the operator. */
export async function abandonChain(databaseUrl: string, yes: boolean): Promise<string> {
  if (yes) {
    const count = await withDatabaseAt(databaseUrl, abandonWaiting);
    return `${count} transactions are abandoned. Their entries stay in the ledger of the database.`;
  }
  const count = await withDatabaseAt(databaseUrl, countOpen);
  if (count === 0) return 'No transaction waits.';
  return `${count} transactions wait. Nothing is abandoned yet. Add --yes to abandon them permanently.`;
}
