import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  detectResources,
  defaultResource,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { statementChannel, type TracedStatement } from '../core/statement-channel.ts';
import { version } from '../core/version.ts';
import { within } from '../core/concurrency/within.ts';
import { tenantIdOf } from '../http/request-context.ts';
import type { Config } from './config.ts';

type TraceProtocol = NonNullable<Config['traceProtocol']>;

/** How long a stopping server waits until its last traces are sent. */
const FLUSH_WITHIN_MS = 2_000;

/** Statements of one request that are traced. An export may have thousands. */
const MAX_STATEMENTS = 100;
const MAX_STATEMENT_LENGTH = 2_000;

/** Requests of load balancers and of Prometheus, which would be most traces of a quiet server. */
const UNTRACED = /^\/(health\/|metrics$)/;

/**
 * Traces each request with its statements, and sends the traces to the collector of the OTEL_ settings. The runtime imports this
 * file only if there is one. If the collector is unavailable, the newest traces are dropped, and requests do not wait.
 * `isTrusted`: whether callers may name the trace that a request belongs to, and so decide whether it is sampled.
 */
export async function traceRequests(
  app: FastifyInstance,
  protocol: TraceProtocol,
  options: { isTrusted: boolean },
): Promise<void> {
  setGlobalErrorHandler((error) =>
    app.log.warn(
      { reason: typeof error === 'string' ? error : (error as Error).message },
      'traces could not be sent',
    ),
  );
  const provider = await openProvider(protocol);
  const tracer = provider.getTracer('guildhall', version);
  addRequestHooks(app, tracer, options);
  const statements = traceStatements(tracer);
  app.addHook('onClose', async () => {
    statements.unsubscribe();
    await within(FLUSH_WITHIN_MS, provider.shutdown()).catch(() => {});
    context.disable();
    propagation.disable();
  });
}

async function openProvider(protocol: TraceProtocol): Promise<BasicTracerProvider> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'guildhall', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    // A queue of OTEL_BSP_MAX_QUEUE_SIZE spans (2,048), sent every OTEL_BSP_SCHEDULE_DELAY (5 seconds).
    spanProcessors: [new BatchSpanProcessor(await openExporter(protocol))],
  });
}

/** Starts a span when a request arrives, runs the request in its context, and ends it with the response. */
function addRequestHooks(app: FastifyInstance, tracer: Tracer, { isTrusted }: { isTrusted: boolean }): void {
  const contextOf = new WeakMap<FastifyRequest, Context>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    const { url: route } = request.routeOptions;
    if (route && UNTRACED.test(route)) return done();
    const parent = isTrusted ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT;
    const attributes = {
      'http.request.method': method,
      ...(route && { 'http.route': route }),
      'guildhall.request_id': request.id,
    };
    const name = route ? `${method} ${route}` : method;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const own = trace.setSpan(parent, span);
    contextOf.set(request, own);
    context.with(own, done);
  });
  // The body arrives in the context of the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    const own = contextOf.get(request);
    if (own) context.with(own, done);
    else done();
  });
  app.onRequestEnd((request, _reply, { status }) => {
    const own = contextOf.get(request);
    const span = own && trace.getSpan(own);
    if (!span) return;
    const operation = request.routeOptions.schema?.operationId;
    const tenantId = tenantIdOf(request);
    span.setAttributes({
      'http.response.status_code': status,
      ...(operation && { 'guildhall.operation': operation }),
      ...(tenantId && { 'guildhall.tenant_id': tenantId }),
      ...(request.problemCode && { 'error.type': request.problemCode }),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

async function openExporter(protocol: TraceProtocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/**
 * Starts a span for each statement of a traced request. It includes the wait for a connection. Requests that share a
 * transaction have its statement in the trace of the first one.
 */
function traceStatements(tracer: Tracer) {
  const countOf = new WeakMap<Span, number>();
  const spanOf = new WeakMap<TracedStatement, Span>();
  const start = (statement: TracedStatement): void => {
    const request = trace.getActiveSpan();
    if (!request?.isRecording()) return;
    const count = countOf.get(request) ?? 0;
    if (count >= MAX_STATEMENTS) return;
    countOf.set(request, count + 1);
    const text = statement.text.replace(/\s+/g, ' ').trim();
    const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': text.slice(0, MAX_STATEMENT_LENGTH),
    };
    spanOf.set(statement, tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }));
  };
  const subscriber = {
    start: (statement: object) => start(statement as TracedStatement),
    end() {},
    asyncStart() {},
    asyncEnd: (statement: object) => spanOf.get(statement as TracedStatement)?.end(),
    error: (statement: object) =>
      spanOf.get(statement as TracedStatement)?.setStatus({ code: SpanStatusCode.ERROR }),
  };
  statementChannel.subscribe(subscriber);
  return { unsubscribe: () => statementChannel.unsubscribe(subscriber) };
}
