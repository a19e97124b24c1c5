import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { visibilities } from '../../../core/visibility.ts';
import { TenantAccessSchema } from '../profiles/index.ts';
import { MAX_GAMES } from './queries.ts';

export const PlayerPath = Type.Object({ playerId: Guid });

const Visibility = OneOf(visibilities, { title: 'ProfileVisibility' });

/** The public fields of a profile. */
const ProfileSummary = Type.Object(
  {
    id: Guid,
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    profileVisibility: Visibility,
  },
  { title: 'PlayerProfileSummary' },
);

export const PlayerProfile = Type.Object(
  {
    ...ProfileSummary.properties,
    displayName: Type.Optional(ProfileSummary.properties.displayName),
    avatarUrl: Type.Optional(ProfileSummary.properties.avatarUrl),
  },
  {
    title: 'PlayerProfile',
    description: 'A private profile has only the members `id` and `profileVisibility`.',
  },
);

/** A profile as everybody sees it. */
export const PublicPlayerProfile = Type.Object(
  {
    ...ProfileSummary.properties,
    games: Type.Array(
      Type.Object(
        {
          gameId: Guid,
          gameName: Nullable(Type.String()),
          gameSlug: Nullable(Type.String()),
          lastPlayedAt: Timestamp,
          loginCount: Type.Integer(),
        },
        { title: 'PublicGame' },
      ),
      {
        maxItems: MAX_GAMES,
        description: 'At most 200 games, the last played first. Empty unless `profileVisibility` is `full`.',
      },
    ),
  },
  { title: 'PublicPlayerProfile' },
);

export const ProfileLookupRequest = Type.Object(
  {
    playerIds: Type.Array(Guid, {
      maxItems: 100,
      description: 'At most 100 ids. Repeated ids count once. The all-zero id is ignored.',
    }),
  },
  { title: 'ProfileLookupRequest' },
);

export const ProfileLookupResult = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          ...ProfileSummary.properties,
          tenantAccess: Type.Array(TenantAccessSchema, {
            description:
              'The player’s access record in the key’s tenant. Records of other tenants are not shown.',
          }),
        },
        { title: 'PlayerProfileWithAccess' },
      ),
      { description: 'One item for each id that is not in `notFound`, in the order of `playerIds`.' },
    ),
    notFound: Type.Array(Guid, {
      description:
        'Ids of unknown, private and hidden players, in the order of `playerIds`. The reason is not given.',
    }),
    requestedCount: Type.Integer({ description: 'The number of ids in the request.' }),
    processedCount: Type.Integer({
      description: 'The number of distinct ids without the all-zero id: `items` and `notFound` together.',
    }),
    returnedCount: Type.Integer({ description: 'The number of `items`.' }),
  },
  { title: 'ProfileLookupResult' },
);
