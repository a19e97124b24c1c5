import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount } from '../testing/arrange.ts';
import { arrangeStudio } from '../testing/definition-csv.ts';
import { startTestApp } from '../testing/test-app.ts';
import { openWithoutReading } from '../testing/unread-response.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });

describe('GET /api/bus_tenants/:tenantId/event-definitions/export', () => {
  test('returns 429 after 8 exports of a network, and 200 to other networks', async () => {
    const hostile = await arrangeStudio(app);
    const honest = await arrangeStudio(app);
    // More than the socket buffers hold for a stalled reader.
    await app.owner.query(
      `INSERT INTO event_definitions (tenant_id, id, event_key, event_description)
       SELECT $1, gen_random_uuid(), 'key_' || number, repeat('x', 1000) FROM generate_series(1, 20000) number`,
      [hostile.tenant.tenantId],
    );
    const accomplice = await arrangeAccount(app, hostile.tenant, 'admin');
    const stalled = await Promise.all(
      [hostile.admin, accomplice].flatMap(({ bearer }) =>
        Array.from({ length: 4 }, () =>
          openWithoutReading(app, `${hostile.list}/export`, { bearer, address: '203.0.113.7' }),
        ),
      ),
    );
    assert.deepEqual(new Set(stalled.map(({ statusCode }) => statusCode)), new Set([200]));

    const exportFrom = (address: string) =>
      app.http.get(`${honest.list}/export`, { ...honest.admin, headers: { 'x-forwarded-for': address } });
    const refused = await exportFrom('203.0.113.7');
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_exports']);
    assert.match(refused.body.detail, /At most 8 exports of this network/);
    assert.equal((await exportFrom('198.51.100.7')).status, 200);
    for (const response of stalled) response.destroy();
  });
});
