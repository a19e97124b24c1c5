import { codePoints, normaliseKey } from '../../../core/text.ts';

/** Which events a definition takes (spec: definition resolution). */
export const eventScopes = ['match', 'player', 'both'] as const;
export type EventScope = (typeof eventScopes)[number];

/** How many definitions a tenant may have. */
export const MOST_DEFINITIONS = 20_000;
/** How many a tenant may have for events to create further ones. */
export const MOST_FOR_AUTO_CREATE = 5_000;

/** What event ingestion needs to know of an event definition. */
export interface Definition {
  id: string;
  eventKey: string;
  eventValue: string | null;
  eventScope: EventScope;
  isActive: boolean;
}

/** An event definition (spec: resources). */
export interface FullDefinition extends Definition {
  eventCategory: string | null;
  eventDescription: string | null;
  createdAt: string;
  updatedAt: string;
}

/** What of a definition can be changed. */
export type MutableFields = Pick<
  FullDefinition,
  'eventScope' | 'eventCategory' | 'eventDescription' | 'isActive'
>;

/** A definition that is to be made, its texts in their normal form. */
export type NewDefinition = DefinitionPair & MutableFields;

/** A key with its value, both normalised: what names a definition within a tenant. */
export interface DefinitionPair {
  eventKey: string;
  eventValue: string | null;
}

/** A pair as a key of a Map. No stored text holds a NUL, so no two pairs share one. */
export function pairKey(eventKey: string, eventValue: string | null): string {
  return eventValue === null ? eventKey : `${eventKey}\0${eventValue}`;
}

/** The longest key and the longest value, in code points after normalisation. */
export const LONGEST_KEY = 32;
/** In code points; the category after it was trimmed. */
export const LONGEST_CATEGORY = 32;
export const LONGEST_DESCRIPTION = 512;

/** Brings a key and its value into their normal form (contract §6): a value that is empty, or missing, is null. */
export function normalisePair(eventKey: string, eventValue?: string | null): DefinitionPair {
  return { eventKey: normaliseKey(eventKey), eventValue: normaliseKey(eventValue ?? '') || null };
}

/** What is wrong with a normalised pair; empty where nothing is. */
export function faultsOf({ eventKey, eventValue }: DefinitionPair): { path: string; message: string }[] {
  const faults = [];
  if (eventKey === '') faults.push({ path: 'eventKey', message: 'must not be empty' });
  for (const [path, text] of Object.entries({ eventKey, eventValue })) {
    if (text !== null && codePoints(text) > LONGEST_KEY)
      faults.push({ path, message: `must not have more than ${LONGEST_KEY} characters` });
  }
  return faults;
}
