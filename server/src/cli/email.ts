import addFormats from 'ajv-formats';
import { UsageError } from './command.ts';

/** An email address in the form that accounts have: trimmed and lower-case. Throws {@link UsageError}. */
export function normaliseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  const format = addFormats.default.get('email') as RegExp;
  if (email.length > 254 || !format.test(email)) throw new UsageError(`"${text}" is not an email address.`);
  return email;
}
