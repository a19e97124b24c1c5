import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeStudio } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('returns 429 after 200 files of more than 2 KiB of an account in 24 hours', async () => {
    const here = await arrangeStudio(app);
    const elsewhere = await arrangeStudio(app);
    const large = `event_key,event_value,event_description\nkill,boss,${'x'.repeat(2 * 1024)}\n`;
    for (let file = 0; file < 200; file++) assert.equal((await here.import(large)).status, 200);
    const refused = await here.import(large);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    const small = 'event_key,event_value\nkill,dragon\n';
    const accepted = await here.import(small);
    assert.deepEqual([accepted.status, accepted.body.created], [200, 1], 'a smaller file');
    assert.equal((await elsewhere.import(large)).status, 200, 'another account');
  });
});
