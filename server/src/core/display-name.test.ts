import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cleanDisplayName } from './display-name.ts';

describe('cleanDisplayName', () => {
  test('keeps names of all scripts, emojis and punctuation', () => {
    for (const name of ['Ada', 'Ada Lovelace', 'علی‌رضا', 'זוהר', '花子', 'नमस्ते', '👩‍👩‍👧', '★', '_', '[GG] x-1'])
      assert.equal(cleanDisplayName(name), name);
  });

  test('removes control characters, line separators and changes of direction', () => {
    assert.equal(cleanDisplayName('a\nb\u0007\u2028c'), 'abc');
    assert.equal(cleanDisplayName('\u202egnp.exe\u202c'), 'gnp.exe');
    assert.equal(cleanDisplayName('\u2066Ada\u2069'), 'Ada');
    assert.equal(cleanDisplayName('\u0007 Ada \u0007'), 'Ada');
  });

  test('returns undefined if nothing visible is left', () => {
    for (const name of ['', ' ', '\u200b', '\u200d\ufeff', '\n', '\u202e', '\u3164', '\u2800', '\u00ad'])
      assert.equal(cleanDisplayName(name), undefined, JSON.stringify(name));
  });
});
