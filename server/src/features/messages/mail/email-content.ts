/** The content of a mail. A paragraph is plain text, a code that the reader copies, or the address of a page. */
export interface EmailContent {
  subject: string;
  paragraphs: (string | { code: string } | { link: string })[];
}

/** The content of an email as plain text and as HTML. */
export interface EmailBody {
  text: string;
  html: string;
}

export interface RenderedEmail extends EmailBody {
  subject: string;
}

/** Renders an email. Escapes markup and line breaks, so that user-defined names cannot inject headers, lines or links. */
export function renderEmail({ subject, paragraphs }: EmailContent): RenderedEmail {
  const parts = paragraphs.map(renderParagraph);
  return {
    subject: oneLine(subject),
    text: `${parts.map(({ text }) => text).join('\n\n')}\n`,
    html:
      '<!doctype html><html><body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em">' +
      `${parts.map(({ html }) => html).join('')}</body></html>`,
  };
}

/** A page of the console with a token. Browsers send the fragment of an address to no server, so no access log contains the token. */
export function consoleLink(
  server: string,
  page: 'verify-email' | 'reset-password' | 'invitation',
  token: string,
): string {
  return `${server}/${page}#token=${token}`;
}

function renderParagraph(part: EmailContent['paragraphs'][number]): { text: string; html: string } {
  if (typeof part === 'string') return { text: oneLine(part), html: `<p>${escape(oneLine(part))}</p>` };
  if ('link' in part) {
    const link = escape(part.link);
    return { text: part.link, html: `<p style="word-break: break-all"><a href="${link}">${link}</a></p>` };
  }
  return {
    text: `    ${part.code}`,
    html: `<p style="font: 24px monospace; word-break: break-all">${escape(part.code)}</p>`,
  };
}

/** Longer names are truncated. */
const MAX_NAME_LENGTH = 40;

/**
 * Quotes a user-defined name for a mail to other people. Keeps only letters, digits and a few signs. The result contains no
 * address that a mail client turns into a link, no control character and no change of text direction. Do not use it in a
 * subject.
 */
export function quoted(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N} '’&!+-]+/gu, ' ')
    // Many combining marks would cover the lines around them.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = [...plain];
  const short =
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('').trim()}…` : plain;
  return `“${short || 'unnamed'}”`;
}

/** Replaces control characters, line breaks and direction marks with spaces. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
