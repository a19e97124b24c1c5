import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_EVENTS_PER_REQUEST } from '../../../../core/callers.ts';
import { createFairSemaphore } from '../../../../core/concurrency/fair-semaphore.ts';
import { BATCH_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { keepRawBodies } from '../../../../http/bodies/json-body.ts';
import { billingOf, keyOf, playerOf } from '../../../../http/request-context.ts';
import { invalidField, ProblemError } from '../../../../core/problem.ts';
import { sendProblem } from '../../../../http/error-handler.ts';
import type { EventScope } from '../event-row.ts';
import { ingestEvents, type IngestServices } from './ingest-events.ts';
import type { IngestResult } from './ingest-result.ts';
import { parseBatch } from './parse-batch.ts';
import {
  EventBatchResult,
  MatchEventBatchRequest,
  PlayerEventBatchRequest,
  RejectedBatch,
} from './schemas.ts';
import { writeResult } from './write-result.ts';

/**
 * A batch of 10,000 events takes about 20 MB of memory while it is processed, and 3 MB while it waits. On two cores, more
 * than three at a time would use more memory without being faster. Tenants take turns. The budget of bodies limits how many wait.
 */
const largeBatches = createFairSemaphore({ running: 3, runningPerOwner: 3 });
const LARGE_BODY_BYTES = 512 * 1024;

/**
 * JSON values per body: 20 per event, which has at most 10. A body of 16 MiB could hold values that take 1.9 s to parse.
 */
const MAX_VALUES = 20 * MAX_EVENTS_PER_REQUEST;

const DESCRIPTION =
  'Checks each event on its own. `records` lists the events that this request stored, `errors` the events that were ' +
  'rejected. Idempotent: `duplicateCount` counts the events that were already stored, so a client can send a batch again ' +
  'safely. The plan of the workspace limits the number of events per batch. If the new events of a batch exceed the hard ' +
  'stop of the plan, the whole batch is rejected with 429 `quota_exceeded`. The body may also be the array of events alone.';

/** Authenticated by a game key and the bearer token of the player who sends the events. */
export function eventIngestionRoutes(services: IngestServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    keepRawBodies(app);
    // parseEvents validates the envelope, and checkEvent each event.
    app.setValidatorCompiler(() => () => true);

    const ingestHandler = (scope: EventScope) => async (request: FastifyRequest, reply: FastifyReply) => {
      const key = keyOf(request);
      const allowed = scope === 'match' ? key.maxMatchEventsPerRequest : key.maxPlayerEventsPerRequest;
      const sender = { billing: billingOf(request), playerId: playerOf(request).playerId };
      const ingest = async (): Promise<IngestResult> => {
        // A large batch waits for its turn. A client that got no answer sends it again.
        if (reply.raw.destroyed)
          throw new ProblemError(
            'request_timeout',
            'The client disconnected before the batch was processed.',
          );
        const body = request.body as Buffer | undefined;
        request.body = undefined;
        const events = parseEvents(
          body && (await parseBatch(key.tenantId, body, MAX_VALUES)),
          Math.min(allowed, MAX_EVENTS_PER_REQUEST),
        );
        return ingestEvents(services, scope, sender, events);
      };
      const result = await (request.bodyBytes > LARGE_BODY_BYTES
        ? largeBatches.run(key.tenantId, ingest)
        : ingest());
      const written = await writeResult(key.tenantId, result);
      if (result.records.length > 0)
        return reply.code(201).type('application/json; charset=utf-8').send(written);
      const detail =
        result.errors.length === 0
          ? 'All events of the batch were stored before. No action is needed.'
          : 'No event was stored. The member errors gives the reason for each event.';
      return sendProblem(request, reply, new ProblemError('events_rejected', detail), written);
    };

    app.post(
      '/api/game/events',
      {
        bodyLimit: BATCH_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'ingestMatchEvents',
          tags: ['Gameplay events'],
          summary: 'Store a batch of match events',
          description: DESCRIPTION,
          body: MatchEventBatchRequest,
          response: { 201: EventBatchResult, 422: RejectedBatch },
        },
      },
      ingestHandler('match'),
    );

    app.post(
      '/api/game/player-events',
      {
        bodyLimit: BATCH_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'ingestPlayerEvents',
          tags: ['Gameplay events'],
          summary: 'Store a batch of player events',
          description: DESCRIPTION,
          body: PlayerEventBatchRequest,
          response: { 201: EventBatchResult, 422: RejectedBatch },
        },
      },
      ingestHandler('player'),
    );
  };
}

function parseEvents(body: unknown, allowed: number): unknown[] {
  const events = Array.isArray(body) ? body : (body as { events?: unknown } | null | undefined)?.events;
  if (!Array.isArray(events)) {
    throw invalidField(
      'events',
      'must be an array',
      'The body must be {"events": […]} or an array of events.',
    );
  }
  if (events.length === 0)
    throw new ProblemError('batch_size', 'The batch is empty. Send at least one event.');
  if (events.length > allowed) {
    throw new ProblemError(
      'batch_size',
      `The batch has ${events.length} events; at most ${allowed} are allowed. Split it into smaller batches.`,
    );
  }
  return events;
}
