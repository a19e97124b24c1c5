import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openDatabase } from '../../../../database/database.ts';
import { arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { checkEvent, latestOccurrence, namesOf } from '../ingestion/check-event.ts';
import { refuse, type RefusedEvent } from '../ingestion/ingest-result.ts';
import { openRejectedEvents } from './collect-rejected.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());

const refused = (eventKey: string) => ({
  error: { index: 0, statusCode: 422, error: 'unknown', eventKey },
  eventKey,
  idempotencyKey: null,
  isOfDefinition: true,
});
/** Collects the events of a tenant's key, and writes them. Returns the warnings. */
async function collect(tenantIds: string[], eventKeys: string[]): Promise<string[]> {
  const warnings: string[] = [];
  const logger = { warn: (_details: object, message: string) => void warnings.push(message) };
  const collector = openRejectedEvents({ database, logger });
  for (const tenantId of tenantIds)
    for (const eventKey of eventKeys)
      collector.count({ tenantId, keyId: randomUUID() }, 'player', refused(eventKey));
  await collector.close();
  return warnings;
}
const written = async () => {
  const { rows } = await app.owner.query(
    'SELECT count(*)::int AS groups, sum(events)::int AS events FROM rejected_events',
  );
  return rows[0];
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapSize = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

describe('the counts of rejected events in memory', () => {
  test('have at most 10,000 groups of all tenants', async () => {
    const tenants = await Promise.all(Array.from({ length: 105 }, () => arrangeTenant(app)));
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    // The first key again, after the limit.
    const warnings = await collect(
      tenants.map(({ tenantId }) => tenantId),
      [...keys, keys[0]!],
    );
    assert.deepEqual(warnings, []);
    assert.deepEqual(await written(), { groups: 10_000, events: 10_100 });
  });

  test('keep no long texts of requests alive', async () => {
    const { tenantId } = await arrangeTenant(app);
    const before = heapSize();
    const collector = openRejectedEvents({ database, logger: { warn: () => assert.fail() } });
    const error = { index: 0, statusCode: 400, error: 'invalid' };
    for (let index = 0; index < 25; index++) {
      const long = (name: string) => `${index} ${name} of twenty characters`.padEnd(2 ** 20);
      const valid = {
        playerId: randomUUID(),
        eventKey: `key ${index}`,
        idempotencyKey: long('valid'),
        occurredAt: '2026-11-20T10:00:00Z',
      };
      const checked = checkEvent('player', valid, 0, latestOccurrence());
      assert.ok(typeof checked === 'object');
      const names = namesOf({ eventKey: long('key'), idempotencyKey: long('invalid') });
      const count = (event: RefusedEvent) => collector.count({ tenantId, keyId: tenantId }, 'player', event);
      count(refuse(checked, 403, 'forbidden'));
      count({ error, ...names, isOfDefinition: false });
    }
    const growth = heapSize() - before;
    await collector.close();
    assert.ok(growth < 10 * 2 ** 20, `${growth} bytes`);
  });

  test('are lost with a warning if they cannot be written', async () => {
    const before = await written();
    assert.deepEqual(await collect([randomUUID()], ['typo']), ['counts of rejected events were not written']);
    assert.deepEqual(await written(), before);
  });
});
