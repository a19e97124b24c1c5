import { Command } from 'commander';
import { withDatabaseAt, type Database } from '../database/database.ts';
import {
  addMasterKey,
  describeMasterKeys,
  removeOtherMasterKeys,
} from '../features/platform/master-keys/index.ts';
import { requireMasterKey } from '../runtime/open-vault.ts';
import { withStorage } from './command.ts';

export const masterKeyCommand = new Command('master-key').description(
  'replace the key that protects the secrets of the database',
);

masterKeyCommand
  .command('add')
  .description(
    'create and print a master key, which is accepted beside the current one; safe while servers run',
  )
  .action(() =>
    withMasterKey(async (database, current) => {
      const { id, masterKey } = await addMasterKey(database, current);
      console.log(
        `The deployment accepts the master key ${id} too. Save it. It is not shown again.\n\n` +
          `MASTER_KEY=${masterKey.toString('hex')}\n\n` +
          'Give it to all processes, and restart them. Then run: guildhall master-key remove-others',
      );
    }),
  );

masterKeyCommand
  .command('list')
  .description('list the accepted master keys by their ids, the oldest first')
  .action(() =>
    withMasterKey(async (database, current) => {
      for (const { id, addedAt, isCurrent } of await describeMasterKeys(database, current))
        console.log(`${id}  added at ${new Date(addedAt).toISOString()}${isCurrent ? '  current' : ''}`);
    }),
  );

masterKeyCommand
  .command('remove-others')
  .description('accept only the current master key from now on')
  .action(() =>
    withMasterKey(async (database, current) => {
      const removed = await removeOtherMasterKeys(database, current);
      console.log(
        removed.length === 0
          ? 'The deployment accepts only the current master key.'
          : `Removed ${removed.join(', ')}. A process that starts with a removed key is refused.`,
      );
    }),
  );

/** Runs work with the master key of the settings or of the data folder, which is the current one. */
const withMasterKey = (work: (database: Database, current: Buffer) => Promise<void>): Promise<void> =>
  withStorage(async (url, config) => {
    const current = await requireMasterKey(config);
    await withDatabaseAt(url, (database) => work(database, current));
  });
