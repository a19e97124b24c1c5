import type { Letter } from '../../mail/index.ts';

/** A notification as a mail; `reason` says why its reader gets it. */
export function noticeLetter({ title, text, reason }: Record<'title' | 'text' | 'reason', string>): Letter {
  return { subject: title, paragraphs: [text, reason] };
}
