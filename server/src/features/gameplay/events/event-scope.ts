/** The two kinds of gameplay events: of a match and of a player alone. */
export type EventScope = 'match' | 'player';

/** The most events of a request, whatever the plan allows (spec: limits). */
export const MOST_EVENTS = 10_000;

/** How many rows a summary of events has at most. */
export const MOST_SUMMARY_ROWS = 20_000;
