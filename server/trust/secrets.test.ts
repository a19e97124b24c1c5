import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { collectSecrets, findSecrets, type Secrets } from './find-secrets.ts';
import { createRequests } from './requests.ts';
import { sendRequest } from './valid-request.ts';
import { arrangeStudio, startWorld } from './world.ts';

// Every operation is used, with every kind of secret. Afterwards no secret is in any table or in any line of the log.

const secrets: Secrets = new Map();
const log: string[] = [];

// All requests of this file, including those that prepare others.
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const headers = JSON.stringify(init?.headers ?? {});
  for (const sent of [headers, typeof init?.body === 'string' ? init.body : ''])
    collectSecrets(secrets, sent);
  const response = await send(input, init);
  const type = response.headers.get('content-type') ?? '';
  if (/json|text\/plain/.test(type)) collectSecrets(secrets, await response.clone().text());
  return response;
};

/** Each row of each table as a line: what a dump of the database contains. */
async function dump(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
       AND relnamespace::regnamespace::text NOT LIKE 'pg\\_toast%'`,
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ line: string }>(
      `SELECT to_jsonb(row)::text AS line FROM ${name} row`,
    );
    lines.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  await client.end();
  return lines;
}

describe('secrets', async () => {
  const world = await startWorld((line) => log.push(line));
  const requests = await createRequests(world);
  const studio = await arrangeStudio(world);

  test('are in no table and in no line of the log after all operations were used', async () => {
    const webApiKey = 'e3b0c44298fc1c149afbf4c8996fb924';
    const settings = { enabled: true, settings: { appId: '480', webApiKey } };
    const path = `/api/bus_tenants/${studio.tenant.tenantId}/providers/StoreA`;
    assert.equal((await world.app.http.put(path, settings, studio.owner)).status, 200);
    // These two end the work of the tenant.
    const last = ['updateProvider', 'disableTenant'];
    const operations = world.operations.toSorted(
      (a, b) => last.indexOf(a.operationId) - last.indexOf(b.operationId),
    );
    for (const operation of operations) {
      const { status, text } = await sendRequest(world, operation, await requests.make(operation, studio));
      assert.ok(status < 300, `${operation.operationId}: ${text}`);
      // The same without its credentials, so that refusals are logged too.
      await sendRequest(world, operation, await requests.make(operation, studio), { 'x-game-key': 'x' });
      if (last.includes(operation.operationId)) {
        await world.app.owner.query('UPDATE tenants SET disabled_at = NULL');
        await world.app.owner.query('UPDATE provider_settings SET enabled = true');
      }
    }
    const rows = await dump(world.app.databaseUrl);
    const counts = [...secrets].map(([kind, values]) => `${values.size} × ${kind}`).join(', ');
    console.log(`${counts}; ${rows.length} rows and ${log.length} lines of the log`);
    assert.deepEqual([...secrets.keys()].toSorted(), [
      'JWT',
      'Mock credential',
      'one-time code',
      'opaque token',
      'password',
      'provider key',
      'second factor',
      'webhook secret',
    ]);
    assert.ok(rows.length > 1000, `${rows.length} rows`);
    assert.ok(log.length > 300, `${log.length} lines`);
    assert.deepEqual(findSecrets(secrets, rows), []);
    assert.deepEqual(findSecrets(secrets, log), []);
  });

  test('would be found in a row, a log line, as hexadecimal digits and as Base64', () => {
    for (const [kind, values] of secrets) {
      const [value = ''] = values;
      const bytes = Buffer.from(value);
      const hidden = /^\d{6}$/.test(value) ? [] : [bytes.toString('hex'), bytes.toString('base64')];
      for (const shown of [value, ...hidden]) {
        const known: Secrets = new Map([[kind, new Set([value])]]);
        assert.equal(
          findSecrets(known, [`mails {"text": "It is ${shown} ."}`]).length,
          1,
          `${kind}: ${shown}`,
        );
      }
    }
  });
});
