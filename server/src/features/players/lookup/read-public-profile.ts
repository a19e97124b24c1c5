import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findProfile, listVisibleGames, type PlayedGame, type Profile } from './queries.ts';

/** Reads a public profile. A full profile also shows the player's games. Throws not_found. */
export async function readPublicProfile(
  database: Database,
  playerId: string,
): Promise<Profile & { games: PlayedGame[] }> {
  const profile = await findProfile(database, playerId);
  if (!profile || profile.profileVisibility === 'private') throw new ProblemError('not_found');
  // The player's scope, because row-level security hides the access records of other tenants from any tenant's scope.
  const games =
    profile.profileVisibility === 'full'
      ? await listVisibleGames(database.forPlayer(profile.id), profile.id)
      : [];
  return { ...profile, games };
}
