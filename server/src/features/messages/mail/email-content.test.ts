import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quoted, renderEmail } from './email-content.ts';

describe('renderEmail', () => {
  test('renders the same content as text and as HTML', () => {
    const rendered = renderEmail({
      subject: 'Your code',
      paragraphs: ['Hello,', { code: '123456' }, 'Bye.'],
    });
    assert.equal(rendered.subject, 'Your code');
    assert.equal(rendered.text, 'Hello,\n\n    123456\n\nBye.\n');
    assert.match(rendered.html, /<p>Hello,<\/p><p style="[^"]*">123456<\/p><p>Bye.<\/p>/);
  });

  test('renders the address of a page as a link', () => {
    const link = 'https://games.example.com/invitation#token=a&b';
    const { text, html } = renderEmail({ subject: 'Join', paragraphs: [{ link }] });
    assert.equal(text, `${link}\n`);
    const escaped = link.replace('&', '&amp;');
    assert.ok(html.includes(`<a href="${escaped}">${escaped}</a>`), html);
  });

  test('escapes markup and line breaks', () => {
    const name = 'Evil\r\nBcc: all@example.com\u2028<script>alert("1")</script>\u202e&amp; \u0000Co';
    const { subject, text, html } = renderEmail({ subject: name, paragraphs: [name] });
    const plain = 'Evil Bcc: all@example.com <script>alert("1")</script> &amp; Co';
    assert.equal(subject, plain);
    assert.equal(text, `${plain}\n`);
    assert.ok(html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp;amp; Co'), html);
    assert.doesNotMatch(html, /<script/);
  });
});

describe('quoted', () => {
  test('removes addresses, control characters and direction marks', () => {
    for (const [name, expected] of [
      ['Chess & Co', '“Chess & Co”'],
      ['Дама №2', '“Дама No2”'],
      ['Win at https://evil.example/x now', '“Win at https evil example x now”'],
      ['mail me@evil.example', '“mail me evil example”'],
      ['evil.example', '“evil example”'],
      ['evil。example', '“evil example”'],
      ['a\r\nBcc: b\u202ec\u200b\u2066d', '“a Bcc b c d”'],
      ['<b>bold</b> “quoted”', '“b bold b quoted”'],
      [`e${'\u0301'.repeat(50)}x`, '“é\u0301\u0301x”'],
      ['x'.repeat(100), `“${'x'.repeat(40)}…”`],
      ['...', '“unnamed”'],
    ] as const)
      assert.equal(quoted(name), expected);
  });
});
