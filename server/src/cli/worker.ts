import { Command } from 'commander';
import { startWorkerProcess } from '../runtime/worker.ts';
import { readSettings, stopOnSignal } from './command.ts';

export const workerCommand = new Command('worker')
  .description('start a worker without the API')
  .action(async () => {
    const starting = startWorkerProcess(readSettings());
    stopOnSignal(async () => (await starting).stop());
    await starting;
    console.log('The worker runs.');
  });
