/** How many players a match may have. Those who join at the same moment may pass it by a few. */
export const MOST_PLAYERS = 1_000;
