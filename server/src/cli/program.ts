import { Command } from 'commander';
import { version } from '../core/version.ts';
import { archiveCommand } from './archive.ts';
import { accountsCommand, bootstrapCommand } from './accounts.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { chainCommand } from './chain.ts';
import { fail } from './command.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { partitionsCommand } from './partitions.ts';
import { rollUpsCommand } from './roll-ups.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { verifyCommand } from './verify.ts';
import { workerCommand } from './worker.ts';

const program = new Command('guildhall')
  .description('A multi-tenant backend for games.')
  .version(version)
  .addHelpText(
    'after',
    `
Settings are environment variables, such as DATA_DIR and DATABASE_URL: docs/configuration.md.
Exit codes: 0 if the command succeeded, 1 if it failed, 2 if verify or check found differences.`,
  );

for (const command of [
  serveCommand,
  workerCommand,
  migrateCommand,
  bootstrapCommand,
  accountsCommand,
  partitionsCommand,
  archiveCommand,
  rollUpsCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  keysCommand,
  chainCommand,
  simulateCommand,
])
  program.addCommand(command);

program.parseAsync().catch(fail);
