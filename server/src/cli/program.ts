import { Command } from 'commander';
import { version } from '../core/version.ts';
import { fail } from './command.ts';

/** The code of a command is loaded when it runs, because that of all commands takes a second longer. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  worker: async () => (await import('./worker.ts')).workerCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  bootstrap: async () => (await import('./bootstrap.ts')).bootstrapCommand,
  accounts: async () => (await import('./accounts.ts')).accountsCommand,
  partitions: async () => (await import('./partitions.ts')).partitionsCommand,
  archive: async () => (await import('./archive.ts')).archiveCommand,
  'roll-ups': async () => (await import('./roll-ups.ts')).rollUpsCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  'master-key': async () => (await import('./master-key.ts')).masterKeyCommand,
  chain: async () => (await import('./chain.ts')).chainCommand,
  simulate: async () => (await import('./simulate.ts')).simulateCommand,
};

const program = new Command('guildhall')
  .description('A multi-tenant backend for games.')
  .version(version)
  .showHelpAfterError('Add --help to see the usage.')
  .addHelpText(
    'after',
    `
Settings are environment variables, such as DATA_DIR and DATABASE_URL: docs/configuration.md.
Exit codes: 0 if the command succeeded, 1 if it failed, 2 if verify, check or restore found differences.`,
  );

const [name = ''] = process.argv.slice(2);
// The help and the message about an unknown command list all of them.
const needed = Object.hasOwn(commands, name) ? [commands[name]!] : Object.values(commands);
for (const load of needed) {
  const command = await load();
  inheritSettings(program, command);
  program.addCommand(command);
}

program.parseAsync().catch(fail);

/** Also for the commands below a command, which otherwise do not say how to see the usage. */
function inheritSettings(parent: Command, command: Command): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inheritSettings(command, child);
}
