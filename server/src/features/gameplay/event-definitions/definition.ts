/** The scopes of the events that may use a definition. */
export const DEFINITION_SCOPES = ['match', 'player', 'both'] as const;
export type DefinitionScope = (typeof DEFINITION_SCOPES)[number];

/** The maximum number of definitions per tenant. */
export const MAX_DEFINITIONS = 20_000;
/** Events create definitions only until the tenant has this many. */
export const MAX_DEFINITIONS_FOR_AUTO_CREATE = 5_000;

/** The fields of a definition that event ingestion uses. */
export interface Definition {
  id: string;
  eventKey: string;
  eventValue: string | null;
  eventScope: DefinitionScope;
  isActive: boolean;
}

export interface FullDefinition extends Definition {
  eventCategory: string | null;
  eventDescription: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The fields that can be changed. Key and value cannot. */
export type MutableFields = Pick<
  FullDefinition,
  'eventScope' | 'eventCategory' | 'eventDescription' | 'isActive'
>;

/** Selects definitions for a list. An undefined field does not filter. */
export interface DefinitionFilter {
  includeInactive: boolean;
  /** Overrules `includeInactive`. */
  isActive?: boolean;
  eventScope?: DefinitionScope;
  /** A part of the key, value, category or description, in any letter case. */
  search?: string;
}

/** The normalised fields of a new definition. */
export type NewDefinition = DefinitionPair & MutableFields;

/** A normalised key and value. The pair is unique within a tenant. */
export interface DefinitionPair {
  eventKey: string;
  eventValue: string | null;
}

/** Returns a Map key for a pair. Keys cannot collide, because stored strings contain no NUL character. */
export function pairKey({ eventKey, eventValue }: DefinitionPair): string {
  return eventValue === null ? eventKey : `${eventKey}\0${eventValue}`;
}

/** The limit of a key and of a value, in code points after normalisation. */
export const MAX_KEY_LENGTH = 32;
/** In code points, after trimming. */
export const MAX_CATEGORY_LENGTH = 32;
/** In code points. */
export const MAX_DESCRIPTION_LENGTH = 512;
