import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { eventCatalogue, eventTypes } from './event-types.ts';

describe('docs/webhooks.md', () => {
  test('documents every event type with the example of the catalogue', () => {
    const text = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8');
    const examples = [...text.matchAll(/^### (\S+)\n\n(.*\n)+?\n?```json\n([^`]+)```/gm)].map((match) => {
      const { type, data } = JSON.parse(match[3]!) as { type: string; data: unknown };
      assert.equal(type, match[1]);
      return [type, data];
    });
    assert.deepEqual(
      examples,
      eventTypes.map((type) => [type, eventCatalogue[type].data]),
    );
  });
});
