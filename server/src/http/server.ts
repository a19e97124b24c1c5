import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import addKeywords from 'ajv-keywords';
import fastJson from 'fast-json-stringify';
import Fastify, { LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { isGuid } from '../core/ids.ts';
import { toMicroseconds } from '../core/timestamps.ts';
import { BODY_LIMIT } from './body-limits.ts';
import { errorHandler, sendProblem } from './error-handler.ts';
import { declareIdempotency } from './idempotency-key.ts';
import { parseJsonBodies } from './json-body.ts';
import { addMetadataLimits } from './metadata-limits.ts';
import { dropOptionalNulls } from './null-members.ts';
import { refuseConnection } from './refuse-connection.ts';
import { dropUndeclared } from './undeclared-members.ts';
import { cutStalledReaders } from './stalled-readers.ts';
import { answerUnknownPaths } from './unknown-paths.ts';
import { ProblemDocument, problems } from './schemas.ts';
import { ProblemError } from '../core/problem.ts';
import './request-context.ts';

export type App = FastifyInstance<any, any, any, any, TypeBoxTypeProvider>; // oxlint-disable-line typescript/no-explicit-any

export interface HttpOptions {
  logger: FastifyServerOptions['logger'];
  trustProxy: boolean | string[];
  corsOrigins: '*' | string[];
  /** Called when a route answers with a status or a media type that it does not declare: the tests fail on it. */
  onUndeclaredAnswer?: (operation: string, answer: string) => void;
}

/** A page that closes cannot wait for a preflight: its last batch of events goes out only if the browser has one cached. */
const PREFLIGHT_SECONDS = 24 * 60 * 60;

/** The HTTP server without any route: parsing, validation, errors, headers, logs. */
export async function createHttpServer(options: HttpOptions): Promise<App> {
  const app = Fastify({
    logger: options.logger ?? false,
    // One line a request is written below instead, at the level that it deserves.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    bodyLimit: BODY_LIMIT,
    // A game's connections idle between batches; load balancers in front usually keep theirs for 60 s.
    keepAliveTimeout: 75_000,
    // Fastify's default is none, and a client that never ends its request would keep its connection for ever. 16 MiB in
    // two minutes is 1.2 Mbit/s.
    requestTimeout: 120_000,
    forceCloseConnections: 'idle',
    // A request that comes in on an open connection while the server stops is answered like any other, and is its last.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, request, reply) => {
      // These come before every hook: an address that does not decode, or holds a part that no identifier is as long as.
      reply.header('x-request-id', request.id);
      errorHandler(error, request, reply);
    },
    genReqId: ({ headers }) => saneRequestId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 256 },
  }) as unknown as App;

  app.addSchema(ProblemDocument);
  app.setValidatorCompiler(lazyValidators());
  app.setSerializerCompiler(cachedSerializers());
  app.setErrorHandler(errorHandler);
  parseJsonBodies(app);

  const callers = ['keyCaller', 'playerCaller', 'accountCaller', 'bearerCaller', 'walletCaller'];
  for (const known of [...callers, 'billing']) app.decorateRequest(known, null);
  app.addHook('onRoute', declareCommonStatuses);
  declareIdempotency(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.url.includes('%00'))
      throw new ProblemError('invalid_request', 'The address holds a NUL byte.');
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // Fastify reads the stream of a HEAD to its end, which may be far, and of a stream of events is none.
    if (request.method === 'HEAD' && payload instanceof Readable)
      reply.raw.once('close', () => payload.destroy());
    done(null, payload);
  });
  cutStalledReaders(app);
  app.addHook('onResponse', async (request, reply) => {
    const isSlow = reply.elapsedTime > 1000 && !request.routeOptions.config.staysOpen;
    // 502 and 503 are expected under load, or when another server is down.
    const level = reply.statusCode === 500 ? 'error' : reply.statusCode > 500 || isSlow ? 'warn' : 'debug';
    request.log[level](
      {
        operation: request.routeOptions.schema?.operationId,
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        tenantId: request.keyCaller?.tenantId,
      },
      'request',
    );
  });
  if (options.onUndeclaredAnswer) reportUndeclaredAnswers(app, options.onUndeclaredAnswer);

  // What matters to answers that are data; the rest of helmet's headers is about pages.
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
  if (options.corsOrigins === '*' || options.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: options.corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'Content-Disposition',
        'X-Request-Id',
        'Retry-After',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ],
      maxAge: PREFLIGHT_SECONDS,
      // An OPTIONS that is no preflight would get a 400 that is no problem document.
      strictPreflight: false,
    });
  }
  answerUnknownPaths(app, (request, reply, problem) => sendProblem(request, reply, problem));
  return app;
}

function saneRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : undefined;
}

/**
 * Validators by JSON Schema, compiled at a route's first request: a hundred routes would else cost every start, and
 * every test, half a second. Bodies are taken as they are, without the members that their schema does not declare; what comes
 * as text (query, path, headers) is coerced.
 */
function lazyValidators() {
  const bodies = ajv({ coerceTypes: false, useDefaults: true });
  const texts = ajv({ coerceTypes: 'array', useDefaults: true });
  return ({ schema, httpPart }: { schema: object; httpPart?: string | undefined }) => {
    let validate: ValidateFunction | undefined;
    return (data: unknown) => {
      validate ??= (httpPart === 'body' ? bodies : texts).compile(schema);
      if (httpPart === 'body') dropOptionalNulls(schema, data);
      if (!validate(data)) return { error: validate.errors as unknown as Error };
      if (httpPart === 'body') dropUndeclared(schema, data);
      return true;
    };
  };
}

function ajv(options: { coerceTypes: boolean | 'array'; useDefaults: boolean }): Ajv {
  const instance = new Ajv({
    ...options,
    strict: false,
    allErrors: false,
    removeAdditional: false,
    discriminator: true,
  });
  addFormats.default(instance, ['email', 'uri']);
  // The usual form alone: ajv-formats would take `urn:uuid:…` too, which PostgreSQL does not.
  instance.addFormat('uuid', isGuid);
  instance.addFormat('date-time', (text) => toMicroseconds(text) !== undefined);
  // What a number of this format is, the use case says: texts of digits are among them.
  instance.addFormat('int64', true);
  addKeywords.default(instance, ['transform']);
  addMetadataLimits(instance);
  return instance;
}

/** Serialisers compiled once a schema: the problem document alone is declared some hundred times. */
function cachedSerializers() {
  const cache = new WeakMap<object, (data: unknown) => string>();
  return ({ schema }: { schema: unknown }) => {
    const key = schema as object;
    let serialize = cache.get(key);
    if (!serialize) {
      let compiled: ((data: unknown) => string) | undefined;
      serialize = (data) =>
        (compiled ??= fastJson(key as fastJson.Schema, { largeArrayMechanism: 'default' }) as never)(data);
      cache.set(key, serialize);
    }
    return serialize;
  };
}

/**
 * What any route may answer: 400; if its method may bring a body, wanted or not, 408, 413 and 415; and 503 while the
 * database is away.
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
