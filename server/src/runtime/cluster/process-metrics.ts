import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import type { Channel } from '../../processes/channel.ts';

/**
 * A process whose event loop is blocked is left out. A process itself waits for the database for 1 second (`readForScrape`), so this is
 * longer: otherwise a slow database would remove the metrics of all processes. It is shorter than the 5 seconds that the process of the
 * scrape waits for this one.
 */
const RESPONSE_WITHIN_MS = 3_000;

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of all processes of a server. */
interface ProcessMetrics {
  countRestart(number: number): void;
  /** Returns them in the format of Prometheus. Each value has the label `process`. */
  read(): Promise<string>;
}

/**
 * Collects the metrics of the serving processes. They are not added up: a sum of counters falls when one process is replaced, and
 * Prometheus would take this for a reset of all of them.
 */
export function createProcessMetrics(list: () => { number: number; channel: Channel }[]): ProcessMetrics {
  const own = new Registry();
  const restarts = new Counter({
    name: 'guildhall_process_restarts_total',
    help: 'Serving processes that died and were started again.',
    labelNames: ['process'] as const,
    registers: [own],
  });
  const up = new Gauge({
    name: 'guildhall_process_up',
    help: '1 if a serving process answers, 0 if it does not.',
    labelNames: ['process'] as const,
    registers: [own],
  });
  const collect = async ({ number, channel }: { number: number; channel: Channel }) => ({
    number,
    metrics: await channel.request<Metric[]>('metrics', null, RESPONSE_WITHIN_MS).catch(() => undefined),
  });
  return {
    countRestart: (number) => restarts.labels(String(number)).inc(),
    async read() {
      const collected = await Promise.all(list().map(collect));
      // Only now: another scrape sets the same values, and must not reset them in between.
      up.reset();
      for (const { number, metrics } of collected) up.labels(String(number)).set(metrics ? 1 : 0);
      const ofProcesses = collected.map(({ number, metrics = [] }) =>
        metrics.map((metric) => label(metric, number)),
      );
      const all = [...ofProcesses, (await own.getMetricsAsJSON()) as Metric[]];
      return AggregatorRegistry.aggregate(all).metrics();
    },
  };
}

/** Adds the label `process`. Then no two processes have a value with the same labels, so that adding them up changes no value. */
function label(metric: Metric, number: number): Metric {
  const values = metric.values.map((value) => ({
    ...value,
    labels: { ...value.labels, process: String(number) },
  }));
  return { ...metric, aggregator: 'sum', values };
}
