import { Command } from 'commander';
import { restoreBackup } from '../runtime/backup/restore-backup.ts';
import { interruptSignal, readSettings } from './command.ts';
import { withProgress } from './progress.ts';

export const restoreCommand = new Command('restore')
  .description('create DATA_DIR from a backup, start its database, and verify each row')
  .argument('<folder>', 'the folder that `guildhall backup` has created')
  .action(async (folder: string) => {
    const config = readSettings();
    const { rows, altered } = await restoreBackup(config, folder, interruptSignal(), {
      // This code takes a second to load. A restore that is refused does not need it.
      verify: async (url) => (await import('./verify.ts')).verifyWithProgress(url, {}, config),
      withProgress,
    });
    console.log(
      altered === 0
        ? `Restored ${config.dataDir}. All ${rows} rows match their hashes. Start the server.`
        : `Restored ${config.dataDir}, but ${altered} of ${rows} rows do not match their hashes. They are named above. The ` +
            'database and the files are in place. Start the server, or empty DATA_DIR except master.key and restore another backup.',
    );
    if (altered > 0) process.exitCode = 2;
  });
