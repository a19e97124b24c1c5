import { Client } from 'undici';
import { quantile } from '../src/testing/statistics.ts';

export interface LoadRequest {
  path: string;
  headers: Record<string, string>;
  /** A request with a body is a POST, otherwise a GET. */
  body?: string;
}

/** The result of a load. `perSecond` is the rate of the measured part. `p50`, `p99` and `longest` are in milliseconds. */
export interface LoadResult {
  requests: number;
  /** All answered requests, with those of the warm-up. */
  answered: number;
  errors: number;
  perSecond: number;
  p50: number;
  p99: number;
  longest: number;
  seconds: number;
}

/**
 * Sends requests in a closed loop: each connection sends its next request after the last response, until `seconds` have passed,
 * `requests` were sent, or `until` is aborted. The first tenth of the time is a warm-up and is not counted. A response that is not 2xx counts as an
 * error. The first error is printed.
 */
export async function runClosedLoop(options: {
  url: string;
  connections: number;
  seconds: number;
  requests?: number;
  until?: AbortSignal;
  /** Runs before the first request. */
  onBegin?: (() => Promise<void>) | undefined;
  next: (connection: number) => LoadRequest;
  onAnswer?: (connection: number, body: string) => void;
}): Promise<LoadResult> {
  await options.onBegin?.();
  const latencies: number[] = [];
  const started = performance.now();
  const measuredFrom = started + (options.requests || options.until ? 0 : options.seconds * 100);
  const deadline = started + options.seconds * 1000;
  let left = options.requests ?? Infinity;
  let errors = 0;
  let allAnswered = 0;

  await Promise.all(
    Array.from({ length: options.connections }, async (_, connection) => {
      const client = new Client(options.url, { pipelining: 1 });
      while (performance.now() < deadline && left-- > 0 && !options.until?.aborted) {
        const { path, headers, body } = options.next(connection);
        const sent = performance.now();
        const answer = await client.request({
          path,
          ...(body === undefined
            ? { method: 'GET', headers }
            : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
        });
        const text = await answer.body.text();
        const answered = performance.now();
        allAnswered++;
        if (answer.statusCode >= 300) {
          if (errors++ === 0) console.error(`  ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
        }
        if (sent >= measuredFrom) latencies.push(answered - sent);
        options.onAnswer?.(connection, text);
      }
      await client.close();
    }),
  );
  const seconds = (performance.now() - measuredFrom) / 1000;
  return {
    requests: latencies.length,
    answered: allAnswered,
    errors,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    longest: quantile(latencies, 1),
    seconds,
  };
}
