import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { BODY_LIMIT } from './bodies/body-limits.ts';
import { trustedProxies } from './client-address.ts';
import { serveConsole } from './console.ts';
import { errorHandler } from './error-handler.ts';
import { prepareDraining } from './draining.ts';
import { declareIdempotency } from './idempotency-key.ts';
import { parseJsonBodies } from './bodies/json-body.ts';
import { refuseConnection } from './refuse-connection.ts';
import { observeRequestEnds, type RequestEnd } from './request-end.ts';
import { cachedSerializers, lazyValidators } from './validation/schema-compilers.ts';
import { limitPipelining } from './traffic/pipelining.ts';
import { spreadRequests } from './traffic/request-turns.ts';
import { cutStalledReaders } from './traffic/stalled-readers.ts';
import { discardUnreadBodies } from './traffic/unread-bodies.ts';
import { answerUnknownPaths } from './unknown-paths.ts';
import { ProblemDocument, problems } from './schemas.ts';
import { ProblemError } from '../core/problem.ts';
import { countHeader, decorateRequests, tenantIdOf } from './request-context.ts';

export type App = FastifyInstance<any, any, any, any, TypeBoxTypeProvider>; // oxlint-disable-line typescript/no-explicit-any

export interface HttpOptions {
  logger: FastifyServerOptions['logger'];
  trustProxy: boolean | string[];
  corsOrigins: '*' | string[];
  /** Called when a response has a status or a media type that its route does not declare. Tests fail on it. */
  onUndeclaredAnswer?: ((operation: string, answer: string) => void) | undefined;
}

/** A closing page can send its last batch of events only if the browser has cached the preflight response. */
const PREFLIGHT_SECONDS = 24 * 60 * 60;

/** At the level trace, the parser of forms logs its options, which contain the headers of the request. */
function withoutFormHeaders(logger: HttpOptions['logger']): HttpOptions['logger'] {
  if (typeof logger !== 'object') return logger ?? false;
  const busboyOptions = ({ headers: _, ...options }: Record<string, unknown>) => options;
  return { ...logger, serializers: { ...logger.serializers, busboyOptions } };
}

/** Creates the HTTP server without routes: parsing, validation, error responses, headers and request logs. */
export async function createHttpServer(options: HttpOptions): Promise<App> {
  const app = Fastify({
    logger: withoutFormHeaders(options.logger),
    // logRequest() logs each request at a level that depends on the outcome.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(options.trustProxy),
    bodyLimit: BODY_LIMIT,
    // Connections of games are idle between batches. Load balancers usually keep idle connections for 60 seconds.
    keepAliveTimeout: 75_000,
    // Fastify has no limit by default, so a stalled request would hold its connection. 16 MiB in two minutes is 1.2
    // Mbit/s.
    requestTimeout: 120_000,
    forceCloseConnections: 'idle',
    // During shutdown, a request on an open connection gets its normal response. Then the connection closes.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    // A request without one gets a problem document below.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => {
      // These errors occur before any hook: the path cannot be decoded, or one of its parameters is too long.
      setCommonHeaders(request, reply);
      errorHandler(error, request, reply);
    },
    genReqId: ({ headers }) => validRequestId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 256 },
  }) as unknown as App;

  app.addSchema(ProblemDocument);
  app.setValidatorCompiler(lazyValidators());
  app.setSerializerCompiler(cachedSerializers());
  app.setErrorHandler(errorHandler);
  parseJsonBodies(app);

  decorateRequests(app);
  observeRequestEnds(app);
  spreadRequests(app);
  app.addHook('onRoute', declareCommonStatuses);
  declareIdempotency(app);
  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply);
    // Some clients, such as `curl -d ''`, send the type of a form with an empty body. Routes of files read their type themselves.
    if (request.headers['content-length'] === '0' && !request.routeOptions.schema?.consumes)
      delete request.headers['content-type'];
    if (request.url.includes('%00'))
      throw new ProblemError('invalid_request', 'The URL contains a NUL byte. Remove it.');
    if (request.raw.httpVersion === '1.1' && countHeader(request, 'host') !== 1)
      throw new ProblemError('invalid_request', 'HTTP/1.1 needs one Host header. Send it once.');
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    // For HEAD, Fastify reads the whole payload stream, which may be long. A stream of server-sent events never ends. The connection
    // may be closed already, so its end says nothing.
    if (request.method === 'HEAD' && payload instanceof Readable) payload.destroy();
    done(null, payload);
  });
  // By default Node answers an unknown expectation with a 417 that has no problem document.
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  );
  limitPipelining(app);
  cutStalledReaders(app);
  prepareDraining(app);
  // Its hook must run after that of the draining, which closes connections.
  discardUnreadBodies(app);
  app.onRequestEnd(logRequest);
  if (options.onUndeclaredAnswer) reportUndeclaredAnswers(app, options.onUndeclaredAnswer);

  await setHeaders(app, options.corsOrigins);
  const sendPage = await serveConsole(app);
  answerUnknownPaths(app, sendPage);
  return app;
}

function logRequest(request: FastifyRequest, _reply: FastifyReply, { status, ms }: RequestEnd): void {
  const isSlow = ms > 1000 && !request.routeOptions.config.staysOpen;
  // 502 and 503 are expected under load, or when another server is unavailable.
  const level = status === 500 ? 'error' : status > 500 || isSlow ? 'warn' : 'debug';
  request.log[level](
    {
      operation: request.routeOptions.schema?.operationId,
      method: request.method,
      status,
      ms: Math.round(ms),
      tenantId: tenantIdOf(request),
    },
    'request',
  );
}

/** Without `Cache-Control`, a shared cache may store an answer of a key under its URL alone. A route can replace the header. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
}

/** Adds the security headers and, if pages of other origins may call the API, the CORS headers. */
async function setHeaders(app: App, corsOrigins: HttpOptions['corsOrigins']): Promise<void> {
  // The API returns data. The disabled headers of helmet apply to HTML pages only.
  await app.register(helmet, {
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  if (corsOrigins === '*' || corsOrigins.length > 0) {
    await app.register(cors, {
      origin: corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'Content-Disposition',
        'X-Deletion-Receipt',
        'X-Request-Id',
        'Retry-After',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ],
      maxAge: PREFLIGHT_SECONDS,
      // With strictPreflight, an OPTIONS request that is not a preflight gets a 400 without a problem document.
      strictPreflight: false,
    });
  }
}

function validRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : undefined;
}

/**
 * Declares the error statuses that every route can return: 400 and 503. If the method may carry a body, it adds 408,
 * 413 and 415.
 */
function declareCommonStatuses(route: { method: string | string[]; url: string; schema?: object }): void {
  const schema = (route.schema ??= {}) as { hide?: boolean; params?: unknown; response?: object };
  if (schema.hide) return;
  const bodiless = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
  const common = bodiless ? problems(400, 503) : problems(400, 408, 413, 415, 503);
  schema.response = { ...common, ...(schema.params ? problems(404) : {}), ...schema.response };
}

function reportUndeclaredAnswers(app: App, report: (operation: string, answer: string) => void): void {
  app.addHook('onSend', async (request, reply) => {
    const { schema, url } = request.routeOptions;
    if (!schema || schema.hide) return;
    const declared = schema.response as Record<string, { content?: object }> | undefined;
    const response = declared?.[reply.statusCode];
    const [sent = ''] = String(reply.getHeader('content-type') ?? '').split(';');
    const types = Object.keys(response?.content ?? { 'application/json': {} });
    if (!response || (sent && !types.includes(sent)))
      report(`${request.method} ${url}`, `${reply.statusCode} ${sent}`);
  });
}
