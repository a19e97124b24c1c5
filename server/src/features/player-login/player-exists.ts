import type { Database } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import type { Identity } from './identity.ts';
import { findPlayerId } from './queries.ts';

/** The player of a provider's user id. Never signs in, never creates. Throws player_not_found. */
export async function playerExists(database: Database, identity: Identity): Promise<{ playerId: string }> {
  const found = await findPlayerId(database, identity);
  if (!found) throw new Problem('player_not_found');
  return found;
}
