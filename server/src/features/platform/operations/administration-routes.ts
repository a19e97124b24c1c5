import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { readQueueStatistics } from '../../../jobs/queue-statistics.ts';
import { checkHealth, components, healthStatuses, type HealthServices } from './check-health.ts';

const tags = ['Administration'];

const Jobs = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The name of the queue.' }),
          waiting: Type.Integer({ description: 'Jobs that may start now, at most 10,000.' }),
          delayed: Type.Integer({
            description:
              'Jobs that start later, for example the next attempt after a failure. At most 10,000.',
          }),
          running: Type.Integer({ description: 'Jobs that a worker runs.' }),
          failed: Type.Integer({ description: 'Jobs of the last hour whose last attempt failed.' }),
          oldestWaitingAt: Nullable({
            ...Timestamp,
            description: 'Since when the first waiting job may start. Null: no job waits.',
          }),
          countedAt: Nullable({
            ...Timestamp,
            description: 'When a worker counted running and failed jobs. Null: no worker has run yet.',
          }),
        },
        { title: 'JobQueue' },
      ),
    ),
  },
  { title: 'JobQueueList' },
);

const Health = Type.Object(
  {
    version: Type.String({ description: 'The version of Guildhall.' }),
    components: Type.Array(
      Type.Object(
        {
          component: OneOf(components, { title: 'HealthComponent' }),
          status: OneOf(healthStatuses, {
            title: 'ComponentStatus',
            description: 'off: not configured, so not needed.',
          }),
          detail: Type.String({ description: 'One sentence about the state.' }),
          latencyMs: Nullable(
            Type.Number({ description: 'How long the component took to answer. Null: it was not asked.' }),
          ),
          since: Nullable({ ...Timestamp, description: 'Since when the component fails, if that is known.' }),
        },
        { title: 'ComponentHealth' },
      ),
    ),
  },
  { title: 'DeploymentHealth' },
);

/** The endpoints for monitoring. They require a platform administrator. */
export function operationsAdministrationRoutes(services: HealthServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/jobs',
      {
        schema: {
          operationId: 'listJobQueues',
          tags,
          summary: 'List job queues',
          description:
            'Returns the queues of background work with the number of their jobs. A worker counts running and failed jobs every 10 seconds.',
          response: { 200: Jobs },
        },
      },
      async () => ({ items: await readQueueStatistics(services.database) }),
    );

    app.get(
      '/api/admin/health',
      {
        schema: {
          operationId: 'getHealth',
          tags,
          summary: 'Get the health of the deployment',
          description:
            'Checks the database, the worker, the mail server, Redis and the EVM chain. If the database is unavailable, every request fails ' +
            'with 503. Load balancers use `/health/ready`.',
          response: { 200: Health },
        },
      },
      async () => checkHealth(services),
    );
  };
}
