import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { BATCH_BODY_LIMIT } from '../../../http/body-limits.ts';
import { keepRawBodies, parseBatch } from '../../../http/json-body.ts';
import { billingOf, keyOf, playerOf } from '../../../http/request-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import { sendProblem } from '../../../http/error-handler.ts';
import { MOST_EVENTS, type EventScope } from './event-scope.ts';
import { ingestEvents, type IngestResult as IngestedBatch, type IngestServices } from './ingest-events.ts';
import { IngestResult, MatchEventBatch, PlayerEventBatch, RejectedBatch } from './schemas.ts';

/**
 * A batch of 10,000 events takes some 20 MB while it is worked on. More than three at a time would not be faster on two cores,
 * only larger: the others wait as they came, in 3 MB each.
 */
const largeBatches = pLimit(3);
const LARGE_BODY = 512 * 1024;

/** 20 for each event, which has up to 10. Parsing so many takes 100 ms at most; all that 16 MiB can hold take 1.9 s. */
const MOST_VALUES = 20 * MOST_EVENTS;

const DESCRIPTION =
  'Each event is judged on its own: `errors` names those that were refused, `records` those that this request stored, and an ' +
  'event that was stored before is only counted, in `duplicateCount`, so a batch can be sent again safely. A batch holds at ' +
  'most as many events as the workspace’s plan allows. Where the new events of a batch would pass the hard stop of the plan, all of ' +
  'it is refused with 429 `quota_exceeded`. The body may be the bare array too.';

/** Behind a game key and the bearer token of the player whose events they are. */
export function eventIngestionRoutes(services: IngestServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    keepRawBodies(app);
    // The envelope is checked by eventsOf; the items on their own.
    app.setValidatorCompiler(() => () => true);

    const route = (scope: EventScope) => async (request: FastifyRequest, reply: FastifyReply) => {
      const key = keyOf(request);
      const allowed = scope === 'match' ? key.maxMatchEventsPerRequest : key.maxPlayerEventsPerRequest;
      const sender = { billing: billingOf(request), playerId: playerOf(request).playerId };
      const ingest = async (): Promise<IngestedBatch> => {
        const body = request.body as Buffer | undefined;
        request.body = undefined;
        const events = eventsOf(body && parseBatch(body, MOST_VALUES), Math.min(allowed, MOST_EVENTS));
        return ingestEvents(services, scope, sender, events);
      };
      const result = await (request.bodyBytes > LARGE_BODY ? largeBatches(ingest) : ingest());
      if (result.records.length > 0) return reply.code(201).send(result);
      const detail =
        result.errors.length === 0
          ? 'All events of the batch were already stored. No action is needed.'
          : 'No event was stored. The member errors names the reason for each event.';
      return sendProblem(
        request,
        reply,
        new ProblemError('events_rejected', { detail, members: { ...result } }),
      );
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
          body: MatchEventBatch,
          response: { 201: IngestResult, 422: RejectedBatch },
        },
      },
      route('match'),
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
          body: PlayerEventBatch,
          response: { 201: IngestResult, 422: RejectedBatch },
        },
      },
      route('player'),
    );
  };
}

function eventsOf(body: unknown, allowed: number): unknown[] {
  const events = Array.isArray(body) ? body : (body as { events?: unknown } | null | undefined)?.events;
  if (!Array.isArray(events)) {
    throw new ProblemError('invalid_request', 'The body must be {"events": […]} or an array of events.');
  }
  if (events.length === 0)
    throw new ProblemError('batch_size', 'The batch has no events. Send at least one.');
  if (events.length > allowed) {
    throw new ProblemError(
      'batch_size',
      `The batch has ${events.length} events; at most ${allowed} are allowed. Send it in parts.`,
    );
  }
  return events;
}
