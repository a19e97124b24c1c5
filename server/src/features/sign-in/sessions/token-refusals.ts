import { ProblemError } from '../../../core/problem.ts';

/** Throws player_inactive and player_banned. */
export function requireAllowedPlayer<Player extends { isActive: boolean; isBanned: boolean }>(
  player: Player | undefined,
): asserts player is Player {
  if (!player?.isActive) throw new ProblemError('player_inactive');
  if (player.isBanned) throw new ProblemError('player_banned');
}

/** Creates the error for an access token whose session was revoked for a security reason. */
export function revokedSessionError(): ProblemError {
  return new ProblemError('invalid_bearer', 'The session of this token was revoked. Sign in again.');
}
