import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { advisoryLocks } from '../../../database/advisory-locks.ts';
import { arrangePlayer } from '../../../testing/arrange.ts';
import { arrangeStudio } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const ROUNDS = 20;
const ROWS = 200;

interface Made {
  id: string;
  eventKey: string;
  eventScope: string;
  eventCategory: string | null;
  eventDescription: string | null;
  isActive: boolean;
}

/** Creates a tenant with definitions and returns them in random order. */
async function arrangeDefinitions() {
  const here = await arrangeStudio(app);
  await here.import(
    `event_key,event_value\n${names('old')
      .map((name) => `${name},\n`)
      .join('')}`,
  );
  const made: Made[] = await here.read();
  return { ...here, made: shuffled(made) };
}

const names = (prefix: string) => Array.from({ length: ROWS }, (_, index) => `${prefix} ${index}`);

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('applies concurrent imports of different columns and a single change', async () => {
    const here = await arrangeDefinitions();
    for (let round = 0; round < ROUNDS; round++) {
      const text = `round ${round}`;
      const csvOf = (column: string, rows: Made[]) =>
        `id,event_key,event_value,${column}\n${rows.map(({ id, eventKey }) => `${id},${eventKey},,${text}\n`).join('')}`;
      const single = here.made[round]!.id;
      const [category, description, scope] = await Promise.all([
        here.import(csvOf('event_category', here.made), true),
        here.import(csvOf('event_description', here.made.toReversed()), true),
        app.http.patch(`${here.list}/${single}`, { eventScope: 'both' }, here.admin),
      ]);
      for (const { status, body } of [category, description]) {
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.updated, ROWS);
      }
      assert.equal(scope.status, 200, scope.text);
      for (const one of (await here.read()) as Made[]) {
        assert.deepEqual([one.eventCategory, one.eventDescription], [text, text], `round ${round}`);
        if (one.id === single) assert.equal(one.eventScope, 'both');
      }
    }
  });

  test('serialises concurrent imports of the same rows', async () => {
    const here = await arrangeDefinitions();
    for (let round = 0; round < ROUNDS; round++) {
      const csvOf = (text: string, rows: Made[]) =>
        `id,event_key,event_value,event_category,event_description\n${rows
          .map(({ id, eventKey }) => `${id},${eventKey},,${text},${text}\n`)
          .join('')}`;
      const answers = await Promise.all(
        ['a', 'b'].map((name) => here.import(csvOf(`${name} ${round}`, shuffled(here.made)), true)),
      );
      for (const { status, body } of answers) assert.deepEqual([status, body.updated], [200, ROWS]);
      const now: Made[] = await here.read();
      assert.equal(
        new Set(now.map((one) => `${one.eventCategory}${one.eventDescription}`)).size,
        1,
        'all definitions are from the same file',
      );
    }
    const records = (await here.audit()).filter(({ action }) => action === 'event_definition.updated');
    assert.equal(records.length, 2 * ROUNDS * ROWS);
    const last = new Map<string, unknown>();
    for (const { target_id, details } of records) {
      if (last.has(target_id))
        assert.deepEqual(details.before, last.get(target_id), 'the record continues from the previous one');
      last.set(target_id, details.after);
    }
  });

  test('creates each definition once when imports, events and requests run at the same time', async () => {
    const here = await arrangeStudio(app);
    const player = await arrangePlayer(app, here.tenant);
    await app.http.patch(`${here.list}/settings`, { autoCreate: true }, here.admin);
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = names(`round ${round}`);
      const csvOf = (rows: string[]) => `event_key,event_value\n${rows.map((name) => `${name},\n`).join('')}`;
      const [one, other, batch, single] = await Promise.all([
        here.import(csvOf(shuffled(wanted))),
        here.import(csvOf(shuffled(wanted))),
        app.http.post(
          '/api/game/player-events',
          {
            events: shuffled(wanted).map((eventKey) => ({
              playerId: player.playerId,
              eventKey,
              idempotencyKey: randomUUID(),
              occurredAt: new Date().toISOString(),
            })),
          },
          player.caller,
        ),
        app.http.post(here.list, { eventKey: wanted[round] }, here.admin),
      ]);
      for (const { status, body } of [one, other]) {
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.created + body.failed, ROWS);
      }
      assert.ok([201, 422].includes(batch.status), batch.text);
      assert.ok([201, 409].includes(single.status), single.text);
      const made = ((await here.read()) as Made[]).filter(({ eventKey }) => wanted.includes(eventKey));
      assert.equal(made.length, ROWS);
      const records = (await here.audit()).filter(({ details }) => wanted.includes(details.after?.eventKey));
      const auto = records.filter(({ action }) => action === 'event_definition.auto_created').length;
      assert.equal(records.length, ROWS, 'each definition has one audit record');
      const bySingle = Number(single.status === 201);
      assert.equal(one.body.created + other.body.created + auto + bySingle, ROWS);
    }
  });

  test('returns 429 for the third import of a tenant at once, and accepts other tenants', async () => {
    const [here, other] = [await arrangeStudio(app), await arrangeStudio(app)];
    const csv = 'event_key,event_value\nk,v\n';
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
          advisoryLocks.eventDefinitions,
          here.tenant.tenantId,
        ])),
      async (waiting, release) => {
        const running = [here.import(csv), here.import(csv)];
        await waiting(2);
        const refused = await here.import(csv);
        assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_imports']);
        assert.match(refused.body.detail, /At most 2 imports/);
        assert.ok(Number(refused.headers.get('retry-after')) > 0);
        assert.equal((await other.import(csv)).status, 200);
        await release();
        for (const answer of running) assert.equal((await answer).status, 200);
      },
    );
    assert.equal((await here.import(csv)).status, 200);
  });
});
