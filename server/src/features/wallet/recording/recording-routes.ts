import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { keepLongIntegers } from '../../../http/bodies/json-body.ts';
import { anyBillingOf, walletOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { invalidField } from '../../../core/problem.ts';
import { int64Digits } from '../../../core/int64.ts';
import { addRecord } from './add-record.ts';
import type { Command } from './command.ts';
import type { WalletLedger } from './ledger.ts';
import { endMatch, endPart, startMatch } from './match-commands.ts';
import { setScore } from './player-commands.ts';
import type { LedgerServices } from './read-ledger.ts';
import { readPlayer } from './read-player.ts';
import {
  CreatedWalletRecord,
  CreateWalletRecordRequest,
  EndedWalletMatch,
  EndedWalletPart,
  EndedWalletSession,
  EndWalletMatchRequest,
  EndWalletPartRequest,
  EndWalletSessionRequest,
  PlayerPath,
  WalletScore,
  SetWalletScoreRequest,
  StartedWalletMatch,
  StartedWalletSession,
  StartWalletMatchRequest,
  StartWalletSessionRequest,
  WalletPlayer,
} from './schemas.ts';
import { endSession, startSession } from './session-commands.ts';

const tags = ['Wallet recording'];

/** Records what players do. Requires a platform JWT. */
export function walletRecordingRoutes(
  services: LedgerServices & { ledger: WalletLedger },
): FastifyPluginAsyncTypebox {
  const record = <Answer extends object>(request: FastifyRequest, command: Command<Answer>) =>
    services.ledger.record(walletOf(request).tenantId, command, anyBillingOf(request));

  return async (app) => {
    keepLongIntegers(app, ['score', 'newScore']);

    app.get(
      '/api/BlockchainStorage/players/:playerIndex',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletPlayer',
          tags,
          summary: 'Get a wallet-linked player',
          description: 'Returns any player of the token’s tenant.',
          params: PlayerPath,
          response: { 200: WalletPlayer },
        },
      },
      async (request) => {
        const caller = walletOf(request);
        return readPlayer(services, caller.tenantId, caller, request.params.playerIndex);
      },
    );

    app.post(
      '/api/BlockchainStorage/players/set/score',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'setWalletScore',
          tags,
          summary: 'Set the player’s score',
          description: 'Overwrites the score of the token’s player. A repeated call writes another entry.',
          body: SetWalletScoreRequest,
          response: { 200: WalletScore },
        },
      },
      async (request) =>
        record(request, setScore(walletOf(request), int64(request.body.newScore, 'newScore'))),
    );

    app.post(
      '/api/BlockchainStorage/sessions/login/start',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'startWalletSession',
          tags,
          summary: 'Start a login session',
          description:
            'Call it each time the game is opened. A player may have any number of open login sessions.',
          body: StartWalletSessionRequest,
          response: { 200: StartedWalletSession },
        },
      },
      async (request) => record(request, startSession(walletOf(request), request.body)),
    );

    app.post(
      '/api/BlockchainStorage/sessions/login/end',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'endWalletSession',
          tags,
          summary: 'End a login session',
          description:
            'Ends a login session of the token’s player at the current time. Returns 409 if the session has ended, or if its ' +
            'startTime is in the future.',
          body: EndWalletSessionRequest,
          response: { 200: EndedWalletSession, ...problems(403, 404, 409) },
        },
      },
      async (request) => record(request, endSession(walletOf(request), request.body.sessionId)),
    );

    app.post(
      '/api/BlockchainStorage/match/sessions/start/singleplayer',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'startWalletMatch',
          tags,
          summary: 'Start a single-player match session',
          description: 'Call it when a level has loaded.',
          body: StartWalletMatchRequest,
          response: { 200: StartedWalletMatch },
        },
      },
      async (request) => record(request, startMatch(walletOf(request), request.body.level)),
    );

    app.post(
      '/api/BlockchainStorage/records/match/add',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'createWalletRecord',
          tags,
          summary: 'Add a record to a match',
          description:
            'Adds a record to a match of the token’s player. Returns 409 if the player’s part in the match has ended, and 404 if a ' +
            'player in `otherPlayers` does not exist.',
          body: CreateWalletRecordRequest,
          response: { 200: CreatedWalletRecord, ...problems(403, 404, 409) },
        },
      },
      async (request) => record(request, addRecord(walletOf(request), withScore(request.body))),
    );

    app.post(
      '/api/BlockchainStorage/match/player/end',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'endWalletPart',
          tags,
          summary: 'End the player’s part',
          description:
            'Ends the part of the token’s player in their match and returns its playDataId. No record can be added afterwards.',
          body: EndWalletPartRequest,
          response: { 200: EndedWalletPart, ...problems(403, 404, 409) },
        },
      },
      async (request) => record(request, endPart(walletOf(request), withScore(request.body))),
    );

    app.post(
      '/api/BlockchainStorage/match/sessions/singleplayer/end',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'endWalletMatch',
          tags,
          summary: 'End a match session',
          description:
            'Ends a match of the token’s player and returns the playDataId of the player’s part. Returns 409 if the player’s part ' +
            'has not ended yet.',
          body: EndWalletMatchRequest,
          response: { 200: EndedWalletMatch, ...problems(403, 404, 409) },
        },
      },
      async (request) => record(request, endMatch(walletOf(request), request.body.matchSessionId)),
    );
  };
}

const withScore = <Body extends { score: number | string }>(body: Body) => ({
  ...body,
  score: int64(body.score, 'score'),
});

function int64(given: number | string, path: string): bigint {
  const digits = int64Digits(given);
  if (digits === undefined)
    throw invalidField(path, 'must be a whole number from -9223372036854775808 to 9223372036854775807');
  return BigInt(digits);
}
