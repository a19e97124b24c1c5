import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { MOST_GAMES } from './queries.ts';

export const PlayerPath = Type.Object({ playerId: Guid });

const Visibility = OneOf(['private', 'limited', 'full']);

/** PlayerProfileSummaryDTO (spec: player profile views). */
const ProfileSummary = Type.Object({
  id: Guid,
  displayName: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
  profileVisibility: Visibility,
});

/** PlayerProfileMinimalDTO. */
const ProfileMinimal = Type.Object({ id: Guid, profileVisibility: Visibility });

/** The fuller shape stands first: a serialiser takes the first that fits. */
export const ProfileForKey = Type.Union([ProfileSummary, ProfileMinimal]);

/** PublicPlayerProfileDTO. */
export const PublicProfile = Type.Object({
  ...ProfileSummary.properties,
  games: Type.Array(
    Type.Object({
      gameId: Guid,
      gameName: Nullable(Type.String()),
      gameSlug: Nullable(Type.String()),
      lastPlayedAt: Timestamp,
      loginCount: Type.Integer(),
    }),
    {
      maxItems: MOST_GAMES,
      description: 'The last 200, the last played first. Filled only if `profileVisibility` is `full`.',
    },
  ),
});

export const BulkLookupBody = Type.Object({
  playerIds: Type.Array(Guid, {
    maxItems: 100,
    description: 'Repeated ids count once, and the all-zero one not at all.',
  }),
});

export const BulkLookupResult = Type.Object({
  items: Type.Array(
    Type.Object({
      ...ProfileSummary.properties,
      tenantAccess: Type.Array(
        Type.Object({
          tenantId: Guid,
          tenantRole: Type.String(),
          firstSeenAt: Timestamp,
          lastSeenAt: Timestamp,
          loginCount: Type.Integer(),
        }),
        { description: 'The player’s record in the key’s tenant. Those in other tenants are not shown.' },
      ),
    }),
    { description: 'In the order of `playerIds`, one for every id that is not in `notFound`.' },
  ),
  notFound: Type.Array(Guid, {
    description: 'Ids that give nothing to see, in the order of `playerIds`; why is not said.',
  }),
  requestedCount: Type.Integer({ description: 'How many ids were sent.' }),
  processedCount: Type.Integer({
    description:
      'How many were left without repetitions and the all-zero id: `items` and `notFound` together.',
  }),
  returnedCount: Type.Integer({ description: 'How many `items` there are.' }),
});
