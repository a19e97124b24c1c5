import { Command } from 'commander';
import { readConfig } from '../runtime/config.ts';
import { work } from '../runtime/work.ts';
import { stopOnSignal } from './command.ts';

export const workerCommand = new Command('worker')
  .description('start a worker without the API')
  .action(async () => {
    const starting = work(readConfig());
    stopOnSignal(async () => (await starting).stop());
    await starting;
    console.log('The worker runs.');
  });
