/** How many sign-in methods a profile may have for another to be linked. The password of an e-mail address is a further one. */
export const MOST_METHODS = 50;
/** How many profiles may be merged into one. */
export const MOST_MERGED = 100;
/** How many games a profile lists: those that the player was in last. */
export const MOST_GAMES = 1_000;
