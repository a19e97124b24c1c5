import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { cloneTestDatabase } from '../testing/databases.ts';
import { openDatabase } from './database.ts';
import { sql } from './sql.ts';
import { BUCKETS } from '../core/time-range.ts';
import { bucketStart } from './time-buckets.ts';

const clone = await cloneTestDatabase();
const database = openDatabase(clone.url, { poolSize: 1 });
after(async () => {
  await database.close();
  await clone.drop();
});

describe('bucketStart', () => {
  for (const bucket of BUCKETS)
    test(`is the start of the ${bucket} in UTC, in all time zones and centuries`, async () => {
      for (const zone of ['UTC', 'Asia/Kathmandu', 'America/St_Johns']) {
        const found = await database.forPlatform().rows(sql`
          SELECT time, ${bucketStart(bucket, sql`time`)} AS start, date_trunc(${bucket}, time, 'UTC') AS expected
          FROM (SELECT set_config('TimeZone', ${zone}, true)) setting,
            LATERAL (
              SELECT timestamptz '1969-12-25T00:00:00Z' + number * interval '7 hours 59 minutes 59.999999 seconds'
              FROM generate_series(0, 120000) AS number
              UNION ALL
              SELECT start AT TIME ZONE 'UTC' - shift * interval '1 microsecond'
              FROM generate_series(timestamp '1970-01-01', '2080-01-01', '1 month') AS start,
                generate_series(0, 1) AS shift) AS tested (time)
          WHERE ${bucketStart(bucket, sql`time`)} IS DISTINCT FROM date_trunc(${bucket}, time, 'UTC')
          LIMIT 3`);
        assert.deepEqual(found, []);
      }
    });
});
