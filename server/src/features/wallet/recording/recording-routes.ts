import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { keepLongIntegers } from '../../../http/json-body.ts';
import { anyBillingOf, walletOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { invalidField } from '../../../core/problem.ts';
import { int64Digits } from '../../../core/int64.ts';
import { addRecord } from './add-record.ts';
import type { Command } from './command.ts';
import { endMatch } from './end-match.ts';
import { endPart } from './end-part.ts';
import { endSession } from './end-session.ts';
import type { WalletLedger } from './ledger.ts';
import { readPlayer } from './read-player.ts';
import type { Recorder } from './recorders/recorder.ts';
import {
  AddedRecord,
  AddRecordBody,
  EndedMatch,
  EndedPart,
  EndedSession,
  EndMatchBody,
  EndPartBody,
  EndSessionBody,
  PlayerPath,
  SetScore,
  SetScoreBody,
  StartedMatch,
  StartedSession,
  StartMatchBody,
  StartSessionBody,
  WalletPlayer,
} from './schemas.ts';
import { setScore } from './set-score.ts';
import { startMatch } from './start-match.ts';
import { startSession } from './start-session.ts';

const tags = ['Wallet recording'];

/** Behind a platform JWT: what players record about themselves. */
export function walletRecordingRoutes({
  database,
  ledger,
  recorder,
}: {
  database: Database;
  recorder: Recorder;
  ledger: WalletLedger;
}): FastifyPluginAsyncTypebox {
  const record = <Answer extends object>(request: FastifyRequest, command: Command<Answer>) =>
    ledger.record(walletOf(request).tenantId, command, anyBillingOf(request));

  return async (app) => {
    keepLongIntegers(app, ['score', 'newScore']);

    app.get(
      '/api/BlockchainStorage/players/:playerIndex',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletPlayer',
          tags,
          summary: 'A wallet-linked player of the tenant',
          params: PlayerPath,
          response: { 200: WalletPlayer },
        },
      },
      async (request) => {
        const caller = walletOf(request);
        return readPlayer({ database, recorder }, caller.tenantId, caller, request.params.playerIndex);
      },
    );

    app.post(
      '/api/BlockchainStorage/players/set/score',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'setWalletScore',
          tags,
          summary: 'Overwrite one’s own score',
          body: SetScoreBody,
          response: { 200: SetScore },
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
          description: 'Once each time the game is opened.',
          body: StartSessionBody,
          response: { 200: StartedSession },
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
            'It ends now: one whose startTime is still to come cannot be ended yet (409), nor one that has ended.',
          body: EndSessionBody,
          response: { 200: EndedSession, ...problems(403, 404, 409) },
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
          description: 'When a level has loaded.',
          body: StartMatchBody,
          response: { 200: StartedMatch },
        },
      },
      async (request) => record(request, startMatch(walletOf(request), request.body.level)),
    );

    app.post(
      '/api/BlockchainStorage/records/match/add',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'addWalletRecord',
          tags,
          summary: 'Add a record to one’s own match',
          description:
            'Until the player’s part in the match has ended (409). A player in `otherPlayers` who does not exist is a 404.',
          body: AddRecordBody,
          response: { 200: AddedRecord, ...problems(403, 404, 409) },
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
          summary: 'End the player’s part in a match',
          description: 'Its playDataId stands for what the player has done in the match.',
          body: EndPartBody,
          response: { 200: EndedPart, ...problems(403, 404, 409) },
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
            'After the player’s part in it has ended (409 before); answers with the playDataId of that.',
          body: EndMatchBody,
          response: { 200: EndedMatch, ...problems(403, 404, 409) },
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
