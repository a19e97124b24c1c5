import type { Letter } from '../../mail/index.ts';

/** A notification as a mail; `reason` says why its reader gets it. */
export function noticeLetter({
  subject,
  text,
  reason,
}: Record<'subject' | 'text' | 'reason', string>): Letter {
  return { subject, paragraphs: [text, `Guildhall sent this mail. ${reason}`] };
}
