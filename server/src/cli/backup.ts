import { Command } from 'commander';
import { createBackup } from '../runtime/backup/create-backup.ts';
import { interruptSignal, readSettings } from './command.ts';
import { withProgress } from './progress.ts';

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
