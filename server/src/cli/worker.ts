import { Command } from 'commander';
import { readSettings, stopOnSignal } from './command.ts';

export const workerCommand = new Command('worker')
  .description('start a worker without the API')
  .action(async () => {
    const settings = readSettings();
    // Settings are refused before the code of the worker is loaded, which takes a second.
    const starting = import('../runtime/worker.ts').then(({ startWorkerProcess }) =>
      startWorkerProcess(settings),
    );
    stopOnSignal(async () => (await starting).stop());
    await starting;
    console.log('The worker runs.');
  });
