import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { slugCandidates } from '../core/text.ts';
import { lazyValidators } from './validation/schema-compilers.ts';
import { Slug } from './schemas.ts';

const validate = lazyValidators()({ schema: Type.Object({ slug: Slug }), httpPart: 'body' });
const isSlug = (slug: string): boolean => validate({ slug }) === true;

/** A plain slug, eight numbered ones and a random one. */
const firstCandidates = (name: string): string[] => [...slugCandidates(name, 'tenant').take(10)];

describe('Slug', () => {
  test('accepts each slug that is generated from a name', () => {
    const names = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 128 }),
      // Words around the length at which a slug is cut.
      fc.stringMatching(/^[a-zÉ0-9]{40,50}[ _-]{1,3}[a-z]{0,5}$/),
    );
    fc.assert(
      fc.property(names, (name) => {
        for (const slug of firstCandidates(name)) assert.ok(isSlug(slug), slug);
      }),
    );
  });

  test('accepts the slugs of a name that is cut at a hyphen', () => {
    const word = 'a'.repeat(47);
    assert.deepEqual(firstCandidates(`${word} bcd`).slice(0, 2), [word, `${word}-2`]);
  });
});
