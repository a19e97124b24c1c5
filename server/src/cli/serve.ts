import { Command } from 'commander';
import { serve } from '../runtime/serve.ts';
import { readSettings, stopOnSignal } from './command.ts';
import type { ServerMessage } from './supervise.ts';

export const serveCommand = new Command('serve')
  .description('start the API and the worker')
  .option('--no-worker', 'start the API alone')
  .action(async ({ worker }: { worker: boolean }) => {
    const starting = serve(readSettings(), { worker });
    // From the beginning: a server that is stopped while it starts would leave PostgreSQL running.
    stopOnSignal(async () => (await starting).stop());
    notifySupervisor('stoppable');
    const { url, welcome } = await starting;
    notifySupervisor('ready');
    console.log(`Guildhall answers at ${url} (API reference: ${url}/docs)`);
    if (welcome) console.log(welcome);
  });

function notifySupervisor(message: ServerMessage): void {
  process.send?.(message);
}
