import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from 'prom-client';
import { Type } from 'typebox';
import { cacheCounts } from '../core/cache-counts.ts';
import { ProblemError } from '../core/problem.ts';
import { version } from '../core/version.ts';
import { bearerToken } from './credentials/credential-scope.ts';
import { INCOMPLETE } from './request-end.ts';
import { problems } from './schemas.ts';

/** The callers that may read /metrics: all, none, or callers with the token. */
export type MetricsAccess = 'open' | 'closed' | { token: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The provider of a sign-in, for the metrics. A function names the provider of a body. Its values must be few. */
    signsInWith?: string | ((body: unknown) => string);
  }
}

const problemsByCode = new Counter({
  name: 'guildhall_problems_total',
  help: 'Error responses by the code of their problem.',
  labelNames: ['code'] as const,
});
const signIns = new Counter({
  name: 'guildhall_sign_ins_total',
  help: 'Sign-ins by provider and result: success, or the code of the problem.',
  labelNames: ['provider', 'result'] as const,
});

/** Where requests are measured, and what `/metrics` serves. */
interface MetricsOptions {
  registry: Registry;
  access: MetricsAccess;
  /** The metrics of all processes of the server, in the format of Prometheus. Default: those of this process. */
  readAll?: (() => Promise<string>) | undefined;
}

/**
 * Measures every request by operation and status, and serves two registries to Prometheus at `/metrics`: the one of the
 * application, and the default one, with the counters of the process. No label has an id or another value that clients choose.
 */
export function measureRequests(
  app: FastifyInstance,
  { registry, access, readAll = () => Registry.merge([register, registry]).metrics() }: MetricsOptions,
): void {
  collectDefaultMetrics({ register: registry });
  registry.registerMetric(
    new Counter({
      name: 'guildhall_cache_requests_total',
      help: 'Reads of the caches in memory, by result (hit, miss).',
      labelNames: ['cache', 'result'] as const,
      registers: [],
      collect() {
        this.reset();
        for (const [cache, { hits, misses }] of cacheCounts()) {
          this.inc({ cache, result: 'hit' }, hits);
          this.inc({ cache, result: 'miss' }, misses);
        }
      },
    }),
  );
  const build = new Gauge({
    name: 'guildhall_build_info',
    help: 'The version of Guildhall. The value is 1.',
    labelNames: ['version'] as const,
    registers: [registry],
  });
  build.set({ version }, 1);
  const duration = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.onRequestEnd((request, _reply, { status, ms }) => {
    const { problemCode } = request;
    const { schema, config } = request.routeOptions;
    duration.labels(schema?.operationId ?? 'unknown', String(status)).observe(ms / 1000);
    if (problemCode) problemsByCode.inc({ code: problemCode });
    const { signsInWith } = config;
    if (signsInWith && status !== INCOMPLETE)
      signIns.inc({
        provider: typeof signsInWith === 'string' ? signsInWith : signsInWith(request.body),
        result: status < 400 ? 'success' : (problemCode ?? 'unknown'),
      });
  });
  app.get(
    '/metrics',
    {
      onRequest: async (request) => checkAccess(request, access),
      schema: {
        operationId: 'getMetrics',
        tags: ['Operations'],
        summary: 'Read the metrics for Prometheus',
        description:
          'Needs the token of the setting `METRICS_TOKEN`. If the setting is empty, the endpoint is open only while the server listens on ' +
          'loopback and `TRUST_PROXY` is off.',
        security: [{ metricsToken: [] }],
        response: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
          ...problems(401),
        },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await readAll()),
  );
}

/** Throws missing_bearer or invalid_bearer. */
function checkAccess(request: FastifyRequest, access: MetricsAccess): void {
  if (access === 'open') return;
  const token = bearerToken(request);
  if (!token)
    throw new ProblemError(
      'missing_bearer',
      'Send the token of the setting METRICS_TOKEN as a bearer token.',
    );
  if (access === 'closed' || !isSame(token, access.token))
    throw new ProblemError('invalid_bearer', 'The bearer token does not match the setting METRICS_TOKEN.');
}

/** Compares digests of equal length in constant time. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
