/** Which events a definition takes (spec: definition resolution). */
export const eventScopes = ['match', 'player', 'both'] as const;
export type EventScope = (typeof eventScopes)[number];

/** What event ingestion needs to know of an event definition. */
export interface Definition {
  id: string;
  eventKey: string;
  eventValue: string | null;
  eventScope: EventScope;
  isActive: boolean;
}

/** A key with its value, both normalised: what names a definition within a tenant. */
export interface DefinitionPair {
  eventKey: string;
  eventValue: string | null;
}

/** A pair as a key of a Map. No stored text holds a NUL, so no two pairs share one. */
export function pairKey(eventKey: string, eventValue: string | null): string {
  return eventValue === null ? eventKey : `${eventKey}\0${eventValue}`;
}
