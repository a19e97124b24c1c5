#!/usr/bin/env node
import { Command } from 'commander';
import { ConfigError, readConfig } from './config.ts';
import { DataFolderInUse } from './database/storage.ts';
import { serve } from './serve.ts';

const program = new Command('guildhall').description('A multi-tenant backend for games.').version('0.1.0');

program
  .command('serve')
  .description('start the API and the worker')
  .option('--no-worker', 'start the API alone')
  .action(async ({ worker }: { worker: boolean }) => {
    const server = await serve(readConfig(), { worker });
    console.log(`Guildhall answers at ${server.url} (API reference: ${server.url}/docs)`);
    stopOnSignal(() => server.stop());
  });

program.parseAsync().catch((error: unknown) => {
  // What the operator can mend is said in a sentence; anything else is ours, and shown whole.
  const mendable = error instanceof ConfigError || error instanceof DataFolderInUse;
  console.error(mendable ? error.message : error);
  process.exit(1);
});

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (): void => {
    if (stopping) process.exit(1); // A second signal: the operator will not wait.
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
