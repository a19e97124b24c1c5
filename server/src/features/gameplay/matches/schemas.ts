import { Type } from 'typebox';
import {
  CursorPage,
  CursorQuery,
  Guid,
  LargeInteger,
  Metadata,
  Name,
  Nullable,
  OneOf,
  TimeFilter,
  Timestamp,
} from '../../../http/schemas.ts';
import { MAX_PLAYERS_PER_MATCH } from './join-match.ts';

const entrant = {
  playerId: Guid,
  loginSessionId: Type.Optional(
    Nullable(
      Type.String({ ...Guid, description: 'Default: the latest session of the player in the tenant.' }),
    ),
  ),
};

export const CreateMatchRequest = Type.Object(
  {
    players: Type.Array(Type.Object(entrant, { title: 'MatchEntrant' }), {
      minItems: 1,
      maxItems: MAX_PLAYERS_PER_MATCH,
    }),
    mode: Type.Optional(Nullable(Name(64))),
    metadata: Type.Optional(Metadata),
  },
  { title: 'CreateMatchRequest' },
);

export const CreatedMatch = Type.Object(
  {
    matchSessionId: Guid,
    startedAt: Timestamp,
    players: Type.Array(
      Type.Object({ matchPlayerId: Guid, playerId: Guid }, { title: 'CreatedMatchPlayer' }),
      {
        maxItems: MAX_PLAYERS_PER_MATCH,
      },
    ),
  },
  { title: 'CreatedMatch' },
);

export const JoinMatchRequest = Type.Object(entrant, { title: 'JoinMatchRequest' });

export const JoinedMatch = Type.Object(
  {
    matchPlayerId: Guid,
    matchSessionId: Guid,
    playerId: Guid,
    joinedAt: Timestamp,
  },
  { title: 'JoinedMatch' },
);

export const LeaveMatchRequest = Type.Object({ matchPlayerId: Guid }, { title: 'LeaveMatchRequest' });

/**
 * A roster entry with its result, for callers with a game key. The player may have left the match. It has no session: a game client has
 * the key too, and the key and the id of a session end the session.
 */
export const MatchPlayer = Type.Object(
  {
    matchPlayerId: Guid,
    playerId: Guid,
    joinedAt: Timestamp,
    leftAt: Nullable(Timestamp),
    placement: Nullable(Type.Integer()),
    score: Nullable(LargeInteger()),
    outcome: Nullable(Type.String()),
  },
  { title: 'MatchPlayer' },
);

const PlayerResult = Type.Object(
  {
    matchPlayerId: Guid,
    placement: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }))),
    score: Type.Optional(
      Nullable(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
    ),
    outcome: Type.Optional(Nullable(Name(32))),
  },
  { title: 'MatchPlayerResult' },
);

export const MatchResultsRequest = Type.Object(
  {
    results: Type.Array(PlayerResult, { minItems: 1, maxItems: 1000 }),
  },
  { title: 'MatchResultsRequest' },
);

export const MatchResults = Type.Object(
  {
    matchSessionId: Guid,
    results: Type.Array(MatchPlayer, { maxItems: 1000 }),
  },
  { title: 'MatchResults' },
);

export const MatchSession = Type.Object(
  {
    matchSessionId: Guid,
    mode: Nullable(Type.String()),
    metadata: Metadata,
    startedAt: Timestamp,
    endedAt: Nullable(Timestamp),
  },
  { title: 'MatchSession' },
);

// 24 more than the limit, for players who joined at the same moment.
const roster = { maxItems: MAX_PLAYERS_PER_MATCH + 24 };

export const Match = Type.Object(
  { ...MatchSession.properties, players: Type.Array(MatchPlayer, roster) },
  { title: 'Match' },
);

const TenantMatchPlayer = Type.Object(
  {
    ...MatchPlayer.properties,
    loginSessionId: Type.Optional(
      Nullable(Type.String({ ...Guid, description: 'Only members of the workspace see it.' })),
    ),
  },
  { title: 'TenantMatchPlayer' },
);

/** A match for members of the workspace and for API keys. */
export const TenantMatch = Type.Object(
  { ...MatchSession.properties, players: Type.Array(TenantMatchPlayer, roster) },
  { title: 'TenantMatch' },
);

export const MatchPath = Type.Object({ matchSessionId: Guid });

export const TenantMatchPath = Type.Object({ tenantId: Guid, matchSessionId: Guid });

export const MatchesQuery = Type.Object({
  state: Type.Optional(
    OneOf(['running', 'ended'], { title: 'MatchState', description: 'Whether the match has ended.' }),
  ),
  playerId: Type.Optional(
    Type.String({
      ...Guid,
      description:
        'Only matches that this player, or a profile merged into this player, was in. Players who left are included.',
    }),
  ),
  ...TimeFilter('matches created'),
  ...CursorQuery.properties,
});

const ListedMatch = Type.Object(
  {
    ...MatchSession.properties,
    playerCount: Type.Integer({ description: 'Players in the roster. Players who left are included.' }),
  },
  { title: 'ListedMatch' },
);

export const ListedMatchPage = CursorPage(ListedMatch);
