import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findProfile, listVisibleGames, type PlayedGame, type Profile } from './queries.ts';

/** What anybody sees of a player: of one who shows all, also the games that they play. Throws not_found. */
export async function readPublicProfile(
  database: Database,
  playerId: string,
): Promise<Profile & { games: PlayedGame[] }> {
  const profile = await findProfile(database, playerId);
  if (!profile || profile.profileVisibility === 'private') throw new ProblemError('not_found');
  // The player's own scope, as access records stand behind the walls of many tenants.
  const games =
    profile.profileVisibility === 'full'
      ? await listVisibleGames(database.forPlayer(profile.id), profile.id)
      : [];
  return { ...profile, games };
}
