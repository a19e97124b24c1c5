import { Command } from 'commander';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { withStorage } from './command.ts';

export const migrateCommand = new Command('migrate')
  .description('apply new migrations, and create the partitions of the next months')
  .action(() =>
    withStorage(
      async (url) => {
        const { migrations, partitions } = await prepareDatabase(url);
        console.log(`Applied ${migrations.length} migrations, made ${partitions.length} partitions.`);
      },
      { mustExist: false, mustBeMigrated: false },
    ),
  );
