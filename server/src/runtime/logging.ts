import { pino, stdTimeFunctions, type LoggerOptions } from 'pino';
import type { Log } from '../core/log.ts';
import type { Config } from './config.ts';
import { createRepeatLimit } from './log-repeats.ts';

/** How the process logs: readable lines on a terminal, JSON elsewhere. Repeated warnings and errors are counted. */
export function loggerOptions({ logLevel }: Pick<Config, 'logLevel'>): LoggerOptions {
  const pretty = { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } };
  const repeats = createRepeatLimit();
  return {
    level: logLevel,
    // Words and times that a person can search for. pino's own are numbers.
    formatters: { level: (label) => ({ level: label }) },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    hooks: {
      logMethod(args, write, level) {
        if (level < pino.levels.values['warn']!) return write.apply(this, args);
        const [fields, ...rest] = args as unknown as [unknown, ...unknown[]];
        const suppressed = repeats.admit(textOf(fields, rest));
        if (suppressed === undefined) return;
        if (suppressed === 0 || typeof fields !== 'object') return write.apply(this, args);
        write.apply(this, [{ ...fields, suppressed }, ...rest] as unknown as typeof args);
      },
    },
    ...(process.stdout.isTTY && pretty),
  };
}

/** Stops what runs, with a line in the log before and after. */
export async function logStop(log: Log<'info'>, running: AsyncDisposableStack): Promise<void> {
  log.info({}, 'stopping');
  await running.disposeAsync();
  log.info({}, 'stopped');
}

/** The key by which repeated lines are detected: the text and the reason. Ids and times of requests differ. */
function textOf(fields: unknown, rest: unknown[]): string {
  if (typeof fields !== 'object' || fields === null) return String(fields);
  const { reason, err, operation, status } = fields as Record<string, unknown>;
  return [rest[0], reason, (err as Error | undefined)?.message, operation, status].map(String).join(' ');
}

/** The parts of an error that are logged. Errors of the database driver contain the whole connection with its settings. */
function describeError({ name, message, stack, code }: Error & { code?: string }) {
  return { type: name, message, stack: stack ?? '', ...(code !== undefined && { code }) };
}
