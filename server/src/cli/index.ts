#!/usr/bin/env node
import { Command, Option } from 'commander';
import {
  makeAdministrator,
  normaliseEmail,
  promoteAccount,
  resetAccountPassword,
} from '../runtime/bootstrap.ts';
import { abandonChain, chainStatus, deployLedgerContract } from './chain.ts';
import { ConfigError, readConfig, readDeployment, type Config } from '../runtime/config.ts';
import { DatabaseUnusableError, DataFolderInUseError, openStorage } from '../database/storage.ts';
import { ChainConfigurationError } from '../features/wallet/chain/index.ts';
import { RotationRefusedError } from '../features/platform/signing-keys/index.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { serve } from '../runtime/serve.ts';
import { ProblemError } from '../core/problem.ts';
import { WrongMasterKeyError } from '../security/vault.ts';
import { parseDuration } from '../core/durations.ts';
import type { ServerMessage } from './supervise.ts';
import { isGuid } from '../core/ids.ts';
import { toMicroseconds } from '../core/timestamps.ts';
import { describeSigningKeys, rotateSigningKeys } from './keys.ts';
import type { AlteredRow } from '../features/gameplay/events/index.ts';
import { verify } from './verify.ts';
import { work } from '../runtime/work.ts';

const SAME_SIGNAL_MS = 500;

const LONGEST_WAIT_SECONDS = 7 * 24 * 60 * 60;

/** A command was given something that it cannot use. */
class UsageError extends Error {}

const program = new Command('guildhall').description('A multi-tenant backend for games.').version('0.1.0');

program
  .command('serve')
  .description('start the API and the worker')
  .option('--no-worker', 'start the API alone')
  .action(async ({ worker }: { worker: boolean }) => {
    const starting = serve(readConfig(), { worker });
    // From now on, not from when it answers: a server that is told to stop while it starts would leave PostgreSQL behind.
    stopOnSignal(async () => (await starting).stop());
    tellSupervisor('stoppable');
    const { url, welcome } = await starting;
    tellSupervisor('ready');
    console.log(`Guildhall answers at ${url} (API reference: ${url}/docs)`);
    if (welcome) console.log(welcome);
  });

program
  .command('worker')
  .description('start a worker without the API')
  .action(async () => {
    const starting = work(readConfig());
    stopOnSignal(async () => (await starting).stop());
    await starting;
    console.log('The worker runs.');
  });

program
  .command('migrate')
  .description('bring the database up to date, and make the partitions of the coming months')
  .action(async () => {
    await withStorage(async (url) => {
      const { migrations, partitions } = await prepareDatabase(url);
      console.log(`Applied ${migrations.length} migrations, made ${partitions.length} partitions.`);
    });
  });

program
  .command('bootstrap')
  .description('create the first account that administers the deployment')
  .requiredOption('--email <address>', 'its e-mail address')
  .action(async ({ email: given }: { email: string }) => {
    const email = readEmail(given);
    await withStorage(async (url) => {
      await prepareDatabase(url);
      const password = await makeAdministrator(url, email).catch((error: unknown) => {
        if (!(error instanceof ProblemError && error.code === 'email_taken')) throw error;
        throw new UsageError(
          `${email} has an account already. To make it the administrator, run: guildhall accounts reset-password ` +
            `--email ${email}, and then: guildhall accounts promote --email ${email}`,
        );
      });
      if (!password)
        throw new UsageError(
          'This database has an administrator already. To add another, run: guildhall accounts promote --email <address>',
        );
      console.log(
        `Created the administrator ${email}. Save the password, it is not shown again: ${password}`,
      );
    });
  });

const accounts = program.command('accounts').description('the accounts of the dashboard');

accounts
  .command('reset-password')
  .description('set a new password for an account, end its sessions, and print the password once')
  .requiredOption('--email <address>', 'the e-mail address of the account')
  .option('--remove-totp', 'remove its second factor too', false)
  .action(async ({ email: given, removeTotp }: { email: string; removeTotp: boolean }) => {
    const email = readEmail(given);
    await withStorage(async (url) => {
      await prepareDatabase(url);
      const password = await resetAccountPassword(url, email, { removeTotp });
      if (!password) throw new UsageError(`No account has the address ${email}.`);
      console.log(
        `The new password of ${email} is ${password}. It is not shown again. Change it after the first login.`,
      );
    });
  });

accounts
  .command('promote')
  .description('make an account an administrator of the deployment')
  .requiredOption('--email <address>', 'the e-mail address of the account')
  .action(async ({ email: given }: { email: string }) => {
    const email = readEmail(given);
    await withStorage(async (url) => {
      await prepareDatabase(url);
      const outcome = await promoteAccount(url, email);
      if (outcome === 'unknown') throw new UsageError(`No account has the address ${email}.`);
      if (outcome === 'unverified')
        throw new UsageError(
          `The address ${email} is not verified, so the account may be a stranger's. Verify it, or run: guildhall accounts ` +
            `reset-password --email ${email}`,
        );
      console.log(`${email} administers the deployment now.`);
    });
  });

program
  .command('verify')
  .description(
    'recompute the hashes of ledgers and events, walk the chains of the wallet ledgers, and name each row that does not match',
  )
  .option('--tenant <id>', 'only this tenant')
  .option('--from <time>', 'only rows of this time (ISO 8601 with an offset) or later')
  .option('--to <time>', 'only rows before this time')
  .action(async ({ tenant, from, to }: { tenant?: string; from?: string; to?: string }) => {
    for (const time of [from, to]) {
      if (time !== undefined && !toMicroseconds(time))
        throw new UsageError(`"${time}" is not a time: write it as 2026-11-20T00:00:00Z.`);
    }
    if (tenant !== undefined && !isGuid(tenant))
      throw new UsageError(`"${tenant}" is not the id of a tenant.`);
    let altered = 0;
    await withStorage(async (url, config) => {
      const report = (row: AlteredRow): void => {
        altered++;
        const problem = row.problem ?? 'does not match its hash';
        console.log(`${row.table} ${row.id} of tenant ${row.tenantId} ${problem}`);
      };
      const rows = await verify(url, { tenantId: tenant, from, to }, report, config.chain);
      console.log(
        altered === 0
          ? `All ${rows} rows match their hashes.`
          : `${altered} of ${rows} rows do not match their hashes.`,
      );
    });
    if (altered > 0) process.exitCode = 2;
  });

const keys = program.command('keys').description('the keys that sign tokens');

keys
  .command('rotate')
  .description('make the signing key that follows on the present one; safe beside running servers')
  .option(
    '--activate-in <duration>',
    'how long it is published before it signs: 90s, 10m, 2h, up to 7d',
    '10m',
  )
  .addOption(
    new Option('--revoke-old', 'after a leak: the new key signs, and all tokens in use are refused, at once')
      .default(false)
      .conflicts('activateIn'),
  )
  .action(async ({ activateIn, revokeOld }: { activateIn: string; revokeOld: boolean }) => {
    const activateInSeconds = parseDuration(activateIn);
    if (activateInSeconds === undefined || activateInSeconds > LONGEST_WAIT_SECONDS)
      throw new UsageError(`"${activateIn}" is not a duration: write it as 90s, 10m or 2h, up to 7d.`);
    await withStorage(async (url, config) =>
      console.log(await rotateSigningKeys(url, config, { activateInSeconds, revokeOld })),
    );
  });

keys
  .command('list')
  .description('the keys whose tokens are accepted, the newest first')
  .action(async () => {
    await withStorage(async (url) => console.log((await describeSigningKeys(url)).join('\n')));
  });

const chain = program.command('chain').description('the EVM chain that wallet recordings are written to');

chain
  .command('deploy')
  .description('put the contract on the chain of CHAIN_RPC_URL, paid for and written to by CHAIN_SIGNER_KEY')
  .option('--owner <address>', 'who may change the writer; the signer, where it is left out')
  .action(async ({ owner }: { owner?: string }) =>
    console.log(await deployLedgerContract(readDeployment(), owner)),
  );

chain
  .command('status')
  .description('what is on its way to the chain, what is final, and whether the signer can pay')
  .action(async () => {
    await withStorage(async (url, config) => console.log(await chainStatus(url, config)));
  });

chain
  .command('abandon')
  .description('give up what waits for a chain that is gone')
  .action(async () => {
    await withStorage(async (url) => console.log(await abandonChain(url)));
  });

program.parseAsync().catch((error: unknown) => {
  // What the operator can mend is said in a sentence; anything else is ours, and shown whole.
  const mendable = [
    ChainConfigurationError,
    ConfigError,
    DatabaseUnusableError,
    DataFolderInUseError,
    RotationRefusedError,
    UsageError,
    WrongMasterKeyError,
  ].some((kind) => error instanceof kind);
  console.error(mendable ? (error as Error).message : error);
  process.exit(1);
});

/** Throws a {@link UsageError}. */
function readEmail(given: string): string {
  const email = normaliseEmail(given);
  if (!email) throw new UsageError(`"${given}" is not an e-mail address.`);
  return email;
}

/** Runs a command on the database that the settings name, beside a running server or by itself. */
async function withStorage(work: (url: string, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig();
  const storage = await openStorage(config, 'shared');
  try {
    await work(storage.url, config);
  } finally {
    await storage.close();
  }
}

function stopOnSignal(stop: () => Promise<void>): void {
  let since = 0;
  const handle = (): void => {
    if (since > 0) {
      // A second signal: the operator will not wait. One that comes with the first is the same one: a Ctrl-C reaches us from
      // the terminal and, where npm started us, from npm too.
      if (Date.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    since = Date.now();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  // The supervisor is gone: nobody else would stop this process.
  process.on('disconnect', handle);
}

function tellSupervisor(message: ServerMessage): void {
  process.send?.(message);
}
