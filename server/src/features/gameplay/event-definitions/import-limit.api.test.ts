import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeStudio } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('returns 429 after 200 imports of an account in 24 hours', async () => {
    const here = await arrangeStudio(app);
    const elsewhere = await arrangeStudio(app);
    for (let file = 0; file < 200; file++) {
      const answer = await here.import(`event_key,event_value\nkill,${file}\n`);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const refused = await here.import('event_key,event_value\nkill,last\n');
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.equal((await here.read()).length, 200);
    assert.equal((await elsewhere.import('event_key,event_value\nkill,1\n')).status, 200, 'another account');
  });
});
