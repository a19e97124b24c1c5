/** How much of a player's profile others see. */
export const visibilities = ['private', 'limited', 'full'] as const;
export type Visibility = (typeof visibilities)[number];
