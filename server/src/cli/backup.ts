import { Command } from 'commander';
import { createBackup } from '../runtime/backup/create-backup.ts';
import { restoreBackup } from '../runtime/backup/restore-backup.ts';
import { interruptSignal, readSettings, UsageError } from './command.ts';
import { withProgress } from './progress.ts';
import { verifyWithProgress } from './verify.ts';

export const backupCommand = new Command('backup')
  .description(
    'copy the embedded database, the avatars and the archived events into a new folder; safe while a server runs',
  )
  .argument('<folder>', 'the folder to create')
  .action(async (folder: string) => {
    const began = performance.now();
    let bytes = 0;
    const wrote = (): string => `Wrote ${Math.ceil(bytes / 1_000_000)} MB`;
    await withProgress(
      () => `${wrote()}.`,
      () => createBackup(readSettings(), folder, interruptSignal(), (count) => (bytes += count)),
    );
    const seconds = Math.ceil((performance.now() - began) / 1000);
    console.log(
      `${wrote()} to ${folder} in ${seconds} s. The backup does not contain the master key: ` +
        'save it in another place.',
    );
  });

export const restoreCommand = new Command('restore')
  .description('create DATA_DIR from a backup, start its database, and verify each row')
  .argument('<folder>', 'the folder that `guildhall backup` has created')
  .action(async (folder: string) => {
    const config = readSettings();
    const altered = { count: 0 };
    const rows = await restoreBackup(config, folder, interruptSignal(), {
      verify: (url) => verifyWithProgress(url, {}, altered, config),
      withProgress,
    });
    if (altered.count > 0)
      throw new UsageError(`${altered.count} of ${rows} restored rows do not match their hashes.`);
    console.log(`Restored ${config.dataDir}. All ${rows} rows match their hashes. Start the server.`);
  });
