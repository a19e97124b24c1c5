import { Command } from 'commander';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { withStorage } from './command.ts';

export const migrateCommand = new Command('migrate')
  .description('apply new migrations, and create the partitions of the next months')
  .action(() =>
    withStorage(
      async (url) => {
        const { migrations, partitions, distributed } = await prepareDatabase(url);
        console.log(`Applied ${migrations.length} migrations, made ${partitions.length} partitions.`);
        if (distributed.length > 0)
          console.log(`Distributed ${distributed.join(' and ')} over the nodes of Citus, by tenant.`);
      },
      { mustExist: false, mustBeMigrated: false },
    ),
  );
