import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { Type } from 'typebox';

/** Measures every request by operation and status, and serves all figures of the registry to Prometheus at `/metrics`. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
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
      schema: {
        operationId: 'getMetrics',
        tags: ['Operations'],
        summary: 'Figures for Prometheus',
        response: {
          200: { description: 'The figures.', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
}
