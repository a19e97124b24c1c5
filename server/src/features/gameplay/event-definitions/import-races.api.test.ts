import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { arrangePlayer } from '../../../testing/arrange.ts';
import { arrangeStudio } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

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

/** A studio with many definitions, in an order that is neither that of their ids nor that of their keys. */
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

test('imports that change different columns of the same rows at once are both in force, and so is a change by hand', async () => {
  const here = await arrangeDefinitions();
  for (let round = 0; round < ROUNDS; round++) {
    const text = `round ${round}`;
    const sheet = (column: string, rows: Made[]) =>
      `id,event_key,event_value,${column}\n${rows.map(({ id, eventKey }) => `${id},${eventKey},,${text}\n`).join('')}`;
    const byHand = here.made[round]!.id;
    const [category, description, scope] = await Promise.all([
      here.import(sheet('event_category', here.made), true),
      here.import(sheet('event_description', here.made.toReversed()), true),
      app.http.patch(`${here.list}/${byHand}`, { eventScope: 'both' }, here.admin),
    ]);
    for (const { status, body } of [category, description]) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.updated, ROWS);
    }
    assert.equal(scope.status, 200, scope.text);
    for (const one of (await here.read()) as Made[]) {
      assert.deepEqual([one.eventCategory, one.eventDescription], [text, text], `round ${round}`);
      if (one.id === byHand) assert.equal(one.eventScope, 'both');
    }
  }
});

test('imports that overwrite the same rows at once take turns: one after the other, in the records too', async () => {
  const here = await arrangeDefinitions();
  for (let round = 0; round < ROUNDS; round++) {
    const sheet = (text: string, rows: Made[]) =>
      `id,event_key,event_value,event_category,event_description\n${rows
        .map(({ id, eventKey }) => `${id},${eventKey},,${text},${text}\n`)
        .join('')}`;
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => here.import(sheet(`${name} ${round}`, shuffled(here.made)), true)),
    );
    for (const { status, body } of answers) assert.deepEqual([status, body.updated], [200, ROWS]);
    const now: Made[] = await here.read();
    assert.equal(
      new Set(now.map((one) => `${one.eventCategory}${one.eventDescription}`)).size,
      1,
      'one file won',
    );
  }
  const records = (await here.audit()).filter(({ action }) => action === 'event_definition.updated');
  assert.equal(records.length, 3 * ROUNDS * ROWS);
  const last = new Map<string, unknown>();
  for (const { target_id, details } of records) {
    if (last.has(target_id))
      assert.deepEqual(details.before, last.get(target_id), 'what the one before it left');
    last.set(target_id, details.after);
  }
});

test('what imports, events and people create at once is created once, and nobody fails', async () => {
  const here = await arrangeStudio(app);
  const player = await arrangePlayer(app, here.tenant);
  await app.http.patch(`${here.list}/settings`, { autoCreate: true }, here.admin);
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = names(`round ${round}`);
    const sheet = (rows: string[]) => `event_key,event_value\n${rows.map((name) => `${name},\n`).join('')}`;
    const [one, other, batch, byHand] = await Promise.all([
      here.import(sheet(shuffled(wanted))),
      here.import(sheet(shuffled(wanted))),
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
    assert.ok([201, 409].includes(byHand.status), byHand.text);
    const made = ((await here.read()) as Made[]).filter(({ eventKey }) => wanted.includes(eventKey));
    assert.equal(made.length, ROWS);
    const records = (await here.audit()).filter(({ details }) => wanted.includes(details.after?.eventKey));
    const auto = records.filter(({ action }) => action === 'event_definition.auto_created').length;
    assert.equal(records.length, ROWS, 'each is audited once');
    const byPerson = Number(byHand.status === 201);
    assert.equal(one.body.created + other.body.created + auto + byPerson, ROWS);
  }
});
