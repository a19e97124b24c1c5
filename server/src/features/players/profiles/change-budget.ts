import type { AttemptBudget, CreateBudget } from '../../../security/attempt-budget.ts';

const CHANGES_PER_DAY = 100;

/**
 * Creates the budget of links, changes of the primary method, unblocks and exports, by player, and of changes of the name, by
 * {@link nameBudgetKey}. Each is written to rows of all the player's tenants. Removals and blocks are never refused, so a thief of a token
 * cannot stop the owner. They need a link or an unblock before, so a player cannot repeat them without end.
 */
export const createChangeBudget = (createBudget: CreateBudget): AttemptBudget =>
  createDailyBudget(createBudget, {
    name: 'profile-changes',
    changes: CHANGES_PER_DAY,
    counted: `names per day, and ${CHANGES_PER_DAY} links, changes of the primary method, unblocks and exports`,
  });

/** Names are counted on their own. They need no proof, so a studio with a token of the player could otherwise stop the others. */
export const nameBudgetKey = (playerId: string): string => `${playerId} name`;

/**
 * Creates the budget of the other changes of a profile and its devices, by player. Each writes one row, or decodes one image. At 30
 * requests per second, one player could write 3 GB of the database's log in 24 hours, and use a tenth of a core with avatars. To hide the
 * profile, to remove its avatar and to block a device are never refused.
 */
export const createSmallChangeBudget = (createBudget: CreateBudget): AttemptBudget =>
  createDailyBudget(createBudget, {
    name: 'small-profile-changes',
    changes: 1_000,
    counted: 'avatars, visibilities, and changes of devices',
  });

function createDailyBudget(
  createBudget: CreateBudget,
  { name, changes, counted }: { name: string; changes: number; counted: string },
): AttemptBudget {
  return createBudget({
    name,
    attempts: changes,
    seconds: 24 * 60 * 60,
    refusal: `Too many changes of this profile (${changes} ${counted} per day). Try again later.`,
  });
}
