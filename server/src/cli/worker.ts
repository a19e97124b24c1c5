import { Command } from 'commander';
import { startWorkerProcess } from '../runtime/worker.ts';
import { readSettings, runUntilSignal } from './command.ts';

export const workerCommand = new Command('worker')
  .description('start a worker without the API')
  .action(async () => {
    await runUntilSignal((interrupted) => startWorkerProcess(readSettings(), interrupted));
    console.log('The worker runs.');
  });
