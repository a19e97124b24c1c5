import type { FastifyInstance } from 'fastify';
import { version } from '../core/version.ts';
import { groups } from './feature-groups.ts';
import { eventOperations } from '../features/messages/webhooks/index.ts';
import { withCredential, withoutCredential } from '../http/credentials/credential-scope.ts';
import { createChangeLimit } from '../http/traffic/change-limit.ts';
import { createConfirmation } from '../http/credentials/credential-checks.ts';
import { createCredentials } from '../http/credentials/credentials.ts';
import { measureRequests } from '../http/metrics.ts';
import { publishOpenApi } from '../http/openapi/openapi.ts';
import type { FindReferenceCredentials } from '../http/openapi/api-reference.ts';
import { createHttpServer, type App, type HttpOptions } from '../http/server.ts';
import { installTrafficPipeline } from '../http/traffic/index.ts';
import type { OnMischarged } from '../http/traffic/metering.ts';
import { issuerOf } from './config.ts';
import { openServices, type ServiceOptions } from './services.ts';

interface AppOptions extends ServiceOptions {
  logger: HttpOptions['logger'];
  /** The credentials that the API reference fills in. Without it the page fills in none. */
  findReferenceCredentials?: FindReferenceCredentials;
  onUndeclaredAnswer?: HttpOptions['onUndeclaredAnswer'];
  onMischarged?: OnMischarged;
  /** The metrics of all processes of the server. Default: those of this process. */
  readMetrics?: (() => Promise<string>) | undefined;
}

/** Creates the HTTP application with the routes of all features. It does not listen yet. To close it releases all that it opened. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config } = options;
  const app = await createHttpServer({
    logger: options.logger,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    onUndeclaredAnswer: options.onUndeclaredAnswer,
  });
  if (config.traceProtocol) {
    const { traceRequests } = await import('./tracing.ts');
    await traceRequests(app, config.traceProtocol, { isTrusted: config.trustProxy !== false });
  }
  const services = await openServices(options, app.log);
  app.addHook('onClose', () => services.close());

  const plain = app as unknown as FastifyInstance;
  await publishOpenApi(plain, {
    version,
    publicUrl: issuerOf(config),
    webhooks: eventOperations,
    findCredentials: options.findReferenceCredentials ?? (() => undefined),
  });
  measureRequests(plain, {
    registry: services.metrics,
    access: config.metricsAccess,
    readAll: options.readMetrics,
  });
  installTrafficPipeline(plain, {
    countBytes: services.alerts.countBytes,
    meter: services.meter,
    processes: services.processes,
    onMischarged: options.onMischarged,
  });

  const { rateLimits } = services;
  const checks = {
    rateLimits,
    confirm: createConfirmation(services.verifiers),
    countChange: createChangeLimit(services.createBudget),
  };
  const auth = createCredentials(services.verifiers, rateLimits, services.alerts.countRequest);
  for (const { routes: routeGroups } of groups)
    for (const { credential, routes } of routeGroups) {
      const plugins = routes.map((create) => create(services));
      if (credential) await withCredential(plain, auth[credential], checks, plugins);
      else await withoutCredential(plain, rateLimits, plugins);
    }

  await app.ready();
  return app;
}
