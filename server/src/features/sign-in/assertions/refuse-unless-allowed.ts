import { ProblemError } from '../../../core/problem.ts';

/** Throws player_inactive and player_banned. */
export function refuseUnlessAllowed<Player extends { isActive: boolean; isBanned: boolean }>(
  player: Player | undefined,
): asserts player is Player {
  if (!player?.isActive) throw new ProblemError('player_inactive');
  if (player.isBanned) throw new ProblemError('player_banned');
}
