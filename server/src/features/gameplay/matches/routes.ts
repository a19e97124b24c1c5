import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { ROSTER_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
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
  CreateMatchRequest,
  JoinedMatch,
  JoinMatchRequest,
  LeaveMatchRequest,
  Match,
  MatchPath,
  MatchPlayer,
  MatchResults,
  MatchSession,
  MatchResultsRequest,
} from './schemas.ts';

const tags = ['Matches'];

/**
 * Authenticated by a game key. With the bearer token of a player, the request may act for that player only. Some game keys require the token.
 */
export function matchRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/game/matches',
      {
        bodyLimit: ROSTER_BODY_LIMIT,
        config: { usage: 'write', idempotent: true },
        schema: {
          operationId: 'createMatch',
          tags,
          summary: 'Create a match',
          description:
            'Creates a running match with its roster. Each player needs a session that has not ended and whose sign-in was within the ' +
            'last 2 hours. A refresh does not count, so sign the player in again before the match if necessary. Without a given session, ' +
            'it is the latest session of the player in the tenant. If any player is rejected, nothing is created and `errors` lists the ' +
            'rejected players. The status is then 410 if a session has ended or expired, and 404 if only players or sessions are ' +
            'unknown. With a bearer token, the player of the token is the only player allowed. With an `Idempotency-Key`, an equal ' +
            'request within 24 hours returns the first response.',
          body: CreateMatchRequest,
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
          summary: 'Add a player to a match',
          description:
            'Adds a player to a running match. The player needs a session like the players of a new match (409 `session_expired` ' +
            'otherwise). A player who has left may join again and keeps the same `matchPlayerId`. A match ' +
            'may have at most 1,000 players. With an `Idempotency-Key`, an equal request within 24 hours returns the first ' +
            'response.',
          params: MatchPath,
          body: JoinMatchRequest,
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
          summary: 'Record that a player left',
          description:
            'Sets `leftAt` of a match player. The player stays in the roster and keeps the result. Idempotent: a second call ' +
            'returns the first time.',
          params: MatchPath,
          body: LeaveMatchRequest,
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
            'Sets `endedAt`. Players can no longer join, but results can still be recorded. Idempotent: a second call returns ' +
            'the first end. With a bearer token, the roster may contain only the player of the token. If others were in the match, even ' +
            'if they have left, the game server ends it, with its game key alone.',
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
          summary: 'Record match results',
          description:
            'Replaces the whole result of each given player, before or after the end of the match. An absent field clears the ' +
            'stored value. The results of other players do not change. If any player is not in the roster, nothing is written ' +
            'and `errors` lists these players.',
          params: MatchPath,
          body: MatchResultsRequest,
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
          summary: 'Get a match',
          description:
            'Returns the match with its whole roster and results, including players who have left.',
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
