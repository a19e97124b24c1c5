import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { Type } from 'typebox';
import { ProblemError } from '../core/problem.ts';
import { bearerToken } from './credential-scope.ts';
import { problems } from './schemas.ts';

/** Who may read the metrics: everyone, nobody, or callers with a token. */
export type MetricsAccess = 'open' | 'closed' | { token: string };

/** Measures every request by operation and status, and serves the registry to Prometheus at `/metrics`. */
export function measureRequests(app: FastifyInstance, registry: Registry, access: MetricsAccess): void {
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.schema?.operationId ?? 'unknown';
    duration.labels(operation, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
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
          'Needs the token of the setting `METRICS_TOKEN`. If the setting is empty, the endpoint is open only while the server listens on loopback.',
        security: [{ metricsToken: [] }],
        response: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
          ...problems(401),
        },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
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
    throw new ProblemError('invalid_bearer', 'The bearer token is not the one of the setting METRICS_TOKEN.');
}

/** Compares digests of equal length in constant time. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
