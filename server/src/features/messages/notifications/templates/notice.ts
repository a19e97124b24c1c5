import type { EmailContent } from '../../mail/index.ts';

/** A notification as a mail; `reason` says why its reader gets it. */
export function noticeEmail({
  subject,
  text,
  reason,
}: Record<'subject' | 'text' | 'reason', string>): EmailContent {
  return { subject, paragraphs: [text, `Guildhall sent this mail. ${reason}`] };
}
