/** What a mail says: paragraphs, of which some are a code or a token to be copied. Plain texts, whoever wrote them. */
export interface EmailContent {
  subject: string;
  paragraphs: (string | { code: string })[];
}

/** A letter as it is sent: the same words as plain text and as HTML. */
export interface RenderedEmail {
  subject: string;
  text: string;
  html: string;
}

/** Renders a letter. Every text is one line and none is markup, so nobody's name can add a header, a line or a link. */
export function renderEmail({ subject, paragraphs }: EmailContent): RenderedEmail {
  const text = paragraphs.map((part) => (typeof part === 'string' ? oneLine(part) : `    ${part.code}`));
  const html = paragraphs.map((part) =>
    typeof part === 'string'
      ? `<p>${escape(oneLine(part))}</p>`
      : `<p style="font: 24px monospace; word-break: break-all">${escape(part.code)}</p>`,
  );
  return {
    subject: oneLine(subject),
    text: `${text.join('\n\n')}\n`,
    html:
      '<!doctype html><html><body style="font: 16px/1.5 sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em">' +
      `${html.join('')}</body></html>`,
  };
}

/** Longer names are cut. A game is known by less. */
const LONGEST_NAME = 40;

/**
 * A name that somebody chose, for a text that strangers read. Letters, digits and a few signs are left of it: so it holds no
 * address that a mail program would turn into a link, no control character and no change of direction. Never in a subject.
 */
export function quoted(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N} '’&!+-]+/gu, ' ')
    // A pile of combining marks covers the lines around it.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = [...plain];
  const short =
    characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME).join('').trim()}…` : plain;
  return `“${short || 'unnamed'}”`;
}

/** Without control characters, line breaks and marks that turn the direction of the text that follows. */
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
