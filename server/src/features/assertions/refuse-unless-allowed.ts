import { Problem } from '../../shared/problem.ts';

/** Throws player_inactive and player_banned. */
export function refuseUnlessAllowed<Player extends { isActive: boolean; isBanned: boolean }>(
  player: Player | undefined,
): asserts player is Player {
  if (!player?.isActive) throw new Problem('player_inactive');
  if (player.isBanned) throw new Problem('player_banned');
}
