import { register, Registry } from 'prom-client';
import { OperatorError } from '../../core/operator-error.ts';
import type { Drain } from '../../http/draining.ts';
import { openChannel, type Port } from '../../processes/channel.ts';
import { sendHeartbeats } from '../../processes/heartbeat.ts';
import { readConfig, type Config } from '../config.ts';
import { failureSentence } from '../failure-sentence.ts';
import { startApiServer, type ApiServer, type ApiServerOptions } from '../api-server.ts';

/** The message of a serving process that accepts requests. */
export type Ready = Pick<ApiServer, 'url' | 'reference'>;

/** Why a serving process cannot start. */
export interface Failure {
  message: string;
  /** Whether the message is a sentence for the operator. */
  isExpected: boolean;
}

/** Serves in this process, which node:cluster has started. The primary process sends the options, and the signal to stop. */
async function runServingProcess(config: Config): Promise<void> {
  const registry = new Registry();
  const interrupted = new AbortController();
  let starting: Promise<ApiServer> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (how: Drain): Promise<void> =>
    (stopping ??= (async () => {
      interrupted.abort(new OperatorError('The start was interrupted.'));
      await (await starting)?.stop(how);
    })());
  const primary = openChannel(process as unknown as Port, {
    stop: (payload: Drain) => stop(payload).finally(() => setImmediate(() => process.exit(0))),
    metrics: () => Registry.merge([register, registry]).getMetricsAsJSON(),
  });
  // A Ctrl-C reaches all processes of the terminal. The primary process stops this one.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => void primary.request('leaving').catch(() => process.exit(0)));

  try {
    const options = await primary.request<ApiServerOptions>('start');
    starting = startApiServer(config, options, interrupted.signal, {
      primary,
      registry,
      readMetrics: () => primary.request<string>('metrics', null, 5_000),
    });
    const { url, reference } = await starting;
    await primary.request('ready', { url, reference } satisfies Ready);
    sendHeartbeats();
  } catch (error) {
    const sentence = failureSentence(error);
    const { message, stack } = error as Error;
    const failure: Failure = { message: sentence ?? stack ?? message, isExpected: sentence !== undefined };
    await primary.request('failed', failure).catch(() => {});
    process.exit(1);
  }
}

// The primary process has checked the settings.
if (import.meta.main) await runServingProcess(readConfig());
