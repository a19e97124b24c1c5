import { Type } from 'typebox';
import { MOST_PLAYERS } from './roster-limit.ts';
import { Guid, Metadata, Name, Nullable, Timestamp } from '../../../http/schemas.ts';

const entrant = {
  playerId: Guid,
  loginSessionId: Type.Optional(
    Nullable(Type.String({ ...Guid, description: 'Their session; without it, their latest in the tenant.' })),
  ),
};

export const CreateMatchBody = Type.Object({
  players: Type.Array(Type.Object(entrant), { minItems: 1, maxItems: MOST_PLAYERS }),
  mode: Type.Optional(Nullable(Name(64))),
  metadata: Type.Optional(Metadata),
});

export const CreatedMatch = Type.Object({
  matchSessionId: Guid,
  startedAt: Timestamp,
  players: Type.Array(Type.Object({ matchPlayerId: Guid, playerId: Guid }), { maxItems: MOST_PLAYERS }),
});

export const JoinMatchBody = Type.Object(entrant);

export const JoinedMatch = Type.Object({
  matchPlayerId: Guid,
  matchSessionId: Guid,
  playerId: Guid,
  joinedAt: Timestamp,
});

export const LeaveMatchBody = Type.Object({ matchPlayerId: Guid });

/** Somebody who is or was in a match, with their result. */
export const MatchPlayer = Type.Object({
  matchPlayerId: Guid,
  playerId: Guid,
  loginSessionId: Nullable(Guid),
  joinedAt: Timestamp,
  leftAt: Nullable(Timestamp),
  placement: Nullable(Type.Integer()),
  score: Nullable(Type.Integer()),
  outcome: Nullable(Type.String()),
});

const PlayerResult = Type.Object({
  matchPlayerId: Guid,
  placement: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }))),
  score: Type.Optional(
    Nullable(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  ),
  outcome: Type.Optional(Nullable(Name(32))),
});

export const ResultsBody = Type.Object({
  results: Type.Array(PlayerResult, { minItems: 1, maxItems: 1000 }),
});

export const MatchResults = Type.Object({
  matchSessionId: Guid,
  results: Type.Array(MatchPlayer, { maxItems: 1000 }),
});

export const MatchSession = Type.Object({
  matchSessionId: Guid,
  mode: Nullable(Type.String()),
  metadata: Metadata,
  startedAt: Timestamp,
  endedAt: Nullable(Timestamp),
});

/** A whole match. */
export const Match = Type.Object({
  ...MatchSession.properties,
  players: Type.Array(MatchPlayer, { maxItems: MOST_PLAYERS + 24 }),
});

export const MatchPath = Type.Object({ matchSessionId: Guid });
