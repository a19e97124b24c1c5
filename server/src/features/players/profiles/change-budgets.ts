import type { AttemptBudget, CreateBudget } from '../../../security/attempt-budget.ts';

/** Limits of the changes that a player can repeat without end. */
export interface ChangeBudgets {
  /**
   * The links, changes of the primary method, unblocks and exports, by player, and the changes of the name, by {@link nameBudgetKey}. Each
   * is written to rows of all the player's tenants. Removals and blocks are never refused, so a thief of a token cannot stop the owner.
   * They need a link or an unblock before, so a player cannot repeat them without end.
   */
  profileChanges: AttemptBudget;
  /**
   * The other changes of a profile and its devices, by player. Each writes one row, or decodes one image. At 30 requests per second, one
   * player could write 3 GB of the database's log in 24 hours, and use a tenth of a core with avatars. To hide the profile, to remove its
   * avatar and to block a device are never refused.
   */
  smallProfileChanges: AttemptBudget;
}

const SECONDS_PER_DAY = 24 * 60 * 60;

export const createChangeBudgets = (createBudget: CreateBudget): ChangeBudgets => ({
  profileChanges: createBudget({
    name: 'profile-changes',
    attempts: 100,
    seconds: SECONDS_PER_DAY,
    refusal:
      'Too many changes of this profile (100 names per day, and 100 links, changes of the primary method, unblocks and exports per ' +
      'day). Try again later.',
  }),
  smallProfileChanges: createBudget({
    name: 'small-profile-changes',
    attempts: 1_000,
    seconds: SECONDS_PER_DAY,
    refusal:
      'Too many changes of this profile (1000 avatars, visibilities, and changes of devices per day). Try again later.',
  }),
});

/** Names are counted on their own. They need no proof, so a studio with a token of the player could otherwise stop the others. */
export const nameBudgetKey = (playerId: string): string => `${playerId} name`;
