import type { LoggerOptions } from 'pino';
import type { Config } from './config.ts';

/** How the process logs: readable lines on a terminal, JSON elsewhere. */
export function loggerOptions({ logLevel }: Config): LoggerOptions {
  const pretty = { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } };
  return { level: logLevel, serializers: { err: describeError }, ...(process.stdout.isTTY && pretty) };
}

/** The parts of an error that are logged. Errors of the database driver hold the whole connection with its settings. */
function describeError({ name, message, stack, code }: Error & { code?: string }) {
  return { type: name, message, stack: stack ?? '', ...(code !== undefined && { code }) };
}
