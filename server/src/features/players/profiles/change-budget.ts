import type { AttemptBudget, CreateBudget } from '../../../security/attempt-budget.ts';

/** Changes per day that a player can repeat without end. A removal and a block need a link or an unblock before. */
const CHANGES_PER_DAY = 100;

/**
 * Creates the budget of changes of the name, links, changes of the primary method, unblocks and exports, by player. Each is written to
 * rows of all the player's tenants. Removals and blocks are never refused, so a thief of a token cannot stop the owner.
 */
export function createChangeBudget(createBudget: CreateBudget): AttemptBudget {
  return createBudget({
    name: 'profile-changes',
    attempts: CHANGES_PER_DAY,
    seconds: 24 * 60 * 60,
    refusal: `Too many changes of this profile (${CHANGES_PER_DAY} names, links, changes of the primary method, unblocks and exports per day). Try again later.`,
  });
}

/**
 * Smaller changes per day: each writes one row, or decodes one image. At 30 requests per second, one player could write 3 GB of the
 * database's log in 24 hours, and use a tenth of a core with avatars.
 */
const SMALL_CHANGES_PER_DAY = 1_000;

/**
 * Creates the budget of the other changes of a profile and its devices, by player. To hide the profile, to remove its avatar and to block a
 * device are never refused.
 */
export function createSmallChangeBudget(createBudget: CreateBudget): AttemptBudget {
  return createBudget({
    name: 'small-profile-changes',
    attempts: SMALL_CHANGES_PER_DAY,
    seconds: 24 * 60 * 60,
    refusal: `Too many changes of this profile (${SMALL_CHANGES_PER_DAY} avatars, visibilities, and changes of devices per day). Try again later.`,
  });
}
