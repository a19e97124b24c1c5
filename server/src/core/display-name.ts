import { invalidField } from './problem.ts';

/** Control characters, line separators, and characters that change the direction of the text around them. */
const FORBIDDEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Letters, digits, punctuation and symbols, without the blank ones of Hangul and Braille. */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Throws invalid_request for a name that would be empty, or would change the text around it, where others see it. */
export function requireDisplayName(name: string, field = 'displayName'): void {
  if (cleanDisplayName(name) !== name)
    throw invalidField(
      field,
      'must have a visible character, and no control character or line break',
      `${field} must have at least one visible character, and no control character, line break or change of direction.`,
    );
}

/** The name without what {@link requireDisplayName} refuses. Undefined if nothing visible is left. */
export function cleanDisplayName(name: string): string | undefined {
  const cleaned = name.replace(FORBIDDEN, '').trim();
  return VISIBLE.test(cleaned) ? cleaned : undefined;
}
