import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { sendHeartbeats } from '../processes/heartbeat.ts';
import { startServer } from '../runtime/server.ts';
import { integer, readSettings, runUntilSignal } from './command.ts';
import type { ServerMessage } from './supervise.ts';

const MAX_PROCESSES = 64;

/** One for each two cores, because PostgreSQL needs about as much processor time as the processes. */
const DEFAULT_PROCESSES = Math.min(MAX_PROCESSES, Math.max(1, Math.floor(availableParallelism() / 2)));

export const serveCommand = new Command('serve')
  .description('start the API and the worker')
  .option('--no-worker', 'start the API alone')
  .addOption(
    new Option('--processes <number>', `how many processes answer requests (1 to ${MAX_PROCESSES})`)
      .argParser(integer(1, MAX_PROCESSES))
      .default(DEFAULT_PROCESSES, 'one per two cores'),
  )
  .action(async (options: { worker: boolean; processes: number }) => {
    const starting = runUntilSignal((interrupted) => startServer(readSettings(), options, interrupted));
    process.on('SIGUSR2', () => void starting.then((server) => server.reload()));
    notifySupervisor('stoppable');
    const server = await starting;
    notifySupervisor('ready');
    sendHeartbeats();
    console.log(`Guildhall answers at ${server.url} (API reference: ${server.url}/docs)`);
    if (server.welcome) console.log(server.welcome);
    // Resolves only if another server takes the data folder.
    const reason = await server.lockLost;
    await server.stop();
    throw reason;
  });

/** If the supervisor was killed, the message fails, and the end of the channel stops this server. */
function notifySupervisor(message: ServerMessage): void {
  process.send?.(message, undefined, undefined, () => {});
}
