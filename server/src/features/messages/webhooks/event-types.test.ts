import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eventCatalogue, eventTypes } from './event-types.ts';

describe('docs/webhooks.md', () => {
  test('documents every event type with an example that is valid by its schema', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const text = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8');
    const documented = [...text.matchAll(/^### (\S+)\n\n(.*\n)+?\n?```json\n([^`]+)```/gm)].map((match) => {
      const event = JSON.parse(match[3]!) as { type: string; data: object };
      assert.equal(event.type, match[1]);
      const { body } = eventCatalogue[event.type as keyof typeof eventCatalogue];
      assert.ok(ajv.validate(body, event), `${event.type}: ${ajv.errorsText()}`);
      for (const member of Object.keys(event.data))
        assert.ok(member in body.properties.data.properties, `${event.type}: ${member}`);
      return event.type;
    });
    assert.deepEqual(documented, eventTypes);
  });
});
