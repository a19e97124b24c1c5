import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneTestDatabase } from '../src/testing/databases.ts';
import { eventually } from '../src/testing/eventually.ts';
import { scrape, sumOf } from '../src/testing/scrape.ts';
import { startTestApp } from '../src/testing/test-app.ts';
import { proxyOf } from './faults/faulty-proxy.ts';

const database = await cloneTestDatabase();
const proxy = await proxyOf(database.url);
const app = await startTestApp({ databaseUrl: proxy.url, env: { LOG_LEVEL: 'silent' } });
const PROBES = 200;

test('answers many probes of a silent database with few queries, and is ready again afterwards', async () => {
  proxy.begin('blackhole');
  const answers = await Promise.all(Array.from({ length: PROBES }, () => app.http.get('/health/ready')));
  for (const { status, text } of answers) assert.equal(status, 503, text);

  // The queries still wait, although the probes have their answers.
  const series = await scrape(app.http);
  const queries =
    sumOf(series, 'guildhall_database_connections', { state: 'used' }) +
    sumOf(series, 'guildhall_database_waiting_requests');
  assert.ok(queries > 0 && queries < PROBES / 10, `${queries} queries wait`);

  proxy.end();
  await eventually(async () => (await app.http.get('/health/ready')).status === 200);
});
