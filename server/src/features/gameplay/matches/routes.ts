import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { ROSTER_BODY_LIMIT } from '../../../http/body-limits.ts';
import { idempotencyOf } from '../../../http/idempotency-key.ts';
import { billingOf, keyOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { MatchCaller } from './caller.ts';
import { createMatch } from './create-match.ts';
import { endMatch } from './end-match.ts';
import { joinMatch } from './join-match.ts';
import { leaveMatch } from './leave-match.ts';
import { readMatch } from './read-match.ts';
import { recordResults } from './record-results.ts';
import {
  CreatedMatch,
  CreateMatchBody,
  JoinedMatch,
  JoinMatchBody,
  LeaveMatchBody,
  Match,
  MatchPath,
  MatchPlayer,
  MatchResults,
  MatchSession,
  ResultsBody,
} from './schemas.ts';

const tags = ['Matches'];

/** Behind a game key, beside which a player's bearer may stand: then they act for themselves only. */
export function matchRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/game/matches',
      {
        bodyLimit: ROSTER_BODY_LIMIT,
        config: { usage: 'write', idempotent: true },
        schema: {
          operationId: 'createMatch',
          tags,
          summary: 'Start a match',
          description:
            'Each player needs a session that has not ended and was last seen within two hours: the one given, or their ' +
            'latest in the tenant. If any has none, nothing is created, and `errors` names each of them (410; 404 where all ' +
            'that is wrong are unknown players or sessions). With a bearer token, the only player is its own. With an ' +
            '`Idempotency-Key` an equal request gets the first answer again for 24 hours.',
          body: CreateMatchBody,
          response: { 201: CreatedMatch, ...problems(403, 404, 410) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return createMatch(database, idempotentCallerOf(request), request.body);
      },
    );

    app.post(
      '/api/game/matches/:matchSessionId/join',
      {
        config: { usage: 'write', idempotent: true },
        schema: {
          operationId: 'joinMatch',
          tags,
          summary: 'Add a player to a running match',
          description:
            'A player who has left may join again, and is the same match player as before. With an `Idempotency-Key` an ' +
            'equal request gets the first answer again for 24 hours.',
          params: MatchPath,
          body: JoinMatchBody,
          response: { 201: JoinedMatch, ...problems(403, 409) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return joinMatch(database, idempotentCallerOf(request), request.params.matchSessionId, request.body);
      },
    );

    app.post(
      '/api/game/matches/:matchSessionId/leave',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'leaveMatch',
          tags,
          summary: 'Mark a player as gone from a match',
          description: 'Leaving again answers with the first time.',
          params: MatchPath,
          body: LeaveMatchBody,
          response: { 200: MatchPlayer, ...problems(403) },
        },
      },
      async (request) =>
        leaveMatch(database, callerOf(request), request.params.matchSessionId, request.body.matchPlayerId),
    );

    app.post(
      '/api/game/matches/:matchSessionId/end',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'endMatch',
          tags,
          summary: 'End a match',
          description:
            'Ending again answers with the first end. With a bearer token, nobody but its player may be in the roster.',
          params: MatchPath,
          response: { 200: MatchSession, ...problems(403) },
        },
      },
      async (request) => endMatch(database, callerOf(request), request.params.matchSessionId),
    );

    app.put(
      '/api/game/matches/:matchSessionId/results',
      {
        bodyLimit: ROSTER_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'recordMatchResults',
          tags,
          summary: 'Record results of a match',
          description:
            'Replaces the whole result of each named player and leaves those of others as they are; before or after the end. ' +
            'If any is not in the roster, nothing is written, and `errors` names each of them.',
          params: MatchPath,
          body: ResultsBody,
          response: { 200: MatchResults, ...problems(403) },
        },
      },
      async (request) =>
        recordResults(database, callerOf(request), request.params.matchSessionId, request.body.results),
    );

    app.get(
      '/api/game/matches/:matchSessionId',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getMatch',
          tags,
          summary: 'A match with its roster and results',
          params: MatchPath,
          response: { 200: Match },
        },
      },
      async (request) => readMatch(database, keyOf(request).tenantId, request.params.matchSessionId),
    );
  };
}

function callerOf(request: FastifyRequest): MatchCaller {
  return { billing: billingOf(request), playerId: request.playerCaller?.playerId };
}

function idempotentCallerOf(request: FastifyRequest): MatchCaller {
  return { ...callerOf(request), idempotency: idempotencyOf(request) };
}
