import type { LoggerOptions } from 'pino';
import type { Config } from './config.ts';

/** How the process logs: lines for people where people look, JSON where machines do. */
export function loggerOptions({ logLevel }: Config): LoggerOptions {
  const pretty = { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } };
  return { level: logLevel, serializers: { err: describeError }, ...(process.stdout.isTTY && pretty) };
}

/** What a log needs of an error. The driver's errors carry their whole connection along, its settings included. */
function describeError({ name, message, stack, code }: Error & { code?: string }) {
  return { type: name, message, stack: stack ?? '', ...(code !== undefined && { code }) };
}
