import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer } from '../../../testing/arrange.ts';
import { arrangeStudio, counts } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const LIMIT = 2 * 1024 * 1024;
const HEADER = 'id,event_key,event_value,event_scope,event_category,event_description,is_active\n';

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('creates normalised definitions with defaults and audit records', async () => {
    const here = await arrangeStudio(app);
    const { status, body } = await here.import(
      'Event_Key,EVENT_VALUE,event_scope,event_category,event_description,is_active\r\n' +
        '  cafe\u0301 \t run , fast ,BOTH,  Move , how they ran ,FALSE\r\n' +
        'kill,,,,,\r\n' +
        'kill,orc,player,,"=1+1, or ""2""",1\r\n' +
        "'=kill,''tis,match,'tis,,0\r\n",
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { totalRows: 4, created: 4, updated: 0, failed: 0, errors: [] });
    const made = await here.read();
    const fields = made.map((one: Record<string, unknown>) =>
      ['eventKey', 'eventValue', 'eventScope', 'eventCategory', 'eventDescription', 'isActive'].map(
        (name) => one[name],
      ),
    );
    assert.deepEqual(
      new Set(fields.map(String)),
      new Set(
        [
          ['caf\u00e9 run', 'fast', 'both', 'Move', ' how they ran ', false],
          ['kill', null, 'match', null, null, true],
          ['kill', 'orc', 'player', null, '=1+1, or "2"', true],
          ['=kill', "'tis", 'match', "'tis", null, false],
        ].map(String),
      ),
    );
    const records = await here.audit();
    assert.equal(records.length, 4);
    for (const { action, actor_id, request_id, details, target_id } of records) {
      assert.deepEqual([action, actor_id], ['event_definition.created', here.admin.accountId]);
      assert.ok(request_id);
      const {
        id: _id,
        createdAt: _created,
        updatedAt: _updated,
        ...after
      } = made.find((one: { id: string }) => one.id === target_id);
      assert.deepEqual(details, { source: 'csv_import', after });
    }
  });

  test('ignores IDs and fails rows with an existing or repeated pair', async () => {
    const here = await arrangeStudio(app);
    const old = await here.create({ eventKey: 'old', eventDescription: 'mine', isActive: false });
    const { status, body } = await here.import(
      'id,event_key,event_value,event_description\n' +
        `${old.id},new,,\n` +
        'nonsense,newer,,\n' +
        `,"  old ",,changed\n` +
        `,new,,again\n` +
        `,old,,\n` +
        `,old,value,\n`,
      false,
    );
    assert.equal(status, 200);
    assert.deepEqual(counts(body), [6, 3, 0, 3]);
    assert.deepEqual(body.errors, [
      {
        rowNumber: 4,
        message: 'A definition with this key and value exists.',
        eventKey: '  old ',
        eventDescription: 'changed',
      },
      {
        rowNumber: 5,
        message: 'Row 2 has the same key and value.',
        eventKey: 'new',
        eventDescription: 'again',
      },
      { rowNumber: 6, message: 'Row 4 has the same key and value.', eventKey: 'old' },
    ]);
    const all = await here.read();
    assert.equal(all.length, 4);
    assert.deepEqual(
      all.find((one: { id: string }) => one.id === old.id),
      old,
    );
  });

  test('changes definitions with overwriteExisting and skips unchanged ones', async () => {
    const here = await arrangeStudio(app);
    const make = (eventKey: string) =>
      here.create({ eventKey, eventScope: 'both', eventCategory: 'cat', eventDescription: 'text' });
    const [a, b, c, d] = [await make('a'), await make('b'), await make('c'), await make('d')];
    const before = (await here.audit()).length;
    const { status, body } = await here.import(
      HEADER +
        `${a.id},a,,player,new,other,false\n` +
        // An empty scope or state keeps the value. An empty category or description clears it.
        `${b.id.toUpperCase()},b,,,,,\n` +
        `${c.id},c,,both,cat,text,true\n` +
        // Key and value do not change.
        `${d.id},elsewhere,x,match,cat,text,true\n`,
      true,
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { totalRows: 4, created: 0, updated: 4, failed: 0, errors: [] });
    const after = await here.read();
    const updatedAt = after.map((one: { updatedAt: string }) => one.updatedAt);
    assert.deepEqual(after, [
      {
        ...a,
        eventScope: 'player',
        eventCategory: 'new',
        eventDescription: 'other',
        isActive: false,
        updatedAt: updatedAt[0],
      },
      { ...b, eventCategory: null, eventDescription: null, updatedAt: updatedAt[1] },
      c,
      { ...d, eventScope: 'match', updatedAt: updatedAt[3] },
    ]);
    const records = (await here.audit()).slice(before);
    assert.deepEqual(Object.fromEntries(records.map(({ target_id, details }) => [target_id, details])), {
      [a.id]: {
        source: 'csv_import',
        before: { eventScope: 'both', eventCategory: 'cat', eventDescription: 'text', isActive: true },
        after: { eventScope: 'player', eventCategory: 'new', eventDescription: 'other', isActive: false },
      },
      [b.id]: {
        source: 'csv_import',
        before: { eventCategory: 'cat', eventDescription: 'text' },
        after: { eventCategory: null, eventDescription: null },
      },
      [d.id]: { source: 'csv_import', before: { eventScope: 'both' }, after: { eventScope: 'match' } },
    });
    for (const { action, actor_id } of records)
      assert.deepEqual([action, actor_id], ['event_definition.updated', here.admin.accountId]);
  });

  test('keeps fields without a column in the file', async () => {
    const here = await arrangeStudio(app);
    const one = await here.create({ eventKey: 'k', eventScope: 'both', eventCategory: 'c', isActive: false });
    const { body } = await here.import(
      `event_definition_id,event_key,event_value,event_description\n${one.id},k,,said`,
      true,
    );
    assert.deepEqual(counts(body), [1, 0, 1, 0]);
    const [after] = await here.read();
    assert.deepEqual(after, { ...one, eventDescription: 'said', updatedAt: after.updatedAt });
  });

  test('fails rows without a known ID, or with the pair of another definition', async () => {
    const [here, elsewhere] = [await arrangeStudio(app), await arrangeStudio(app)];
    const [a, b, c] = [
      await here.create({ eventKey: 'a' }),
      await here.create({ eventKey: 'b', eventValue: 'v' }),
      await here.create({ eventKey: 'c' }),
    ];
    const theirs = await elsewhere.create({ eventKey: 'theirs' });
    const missing = randomUUID();
    const unknown = 'The tenant has no definition with this id.';
    const { status, body } = await here.import(
      'id,event_key,event_value,event_description\n' +
        `,a,,x\n` +
        `  ,new,,x\n` +
        `${missing},new,,x\n` +
        `nonsense,new,,x\n` +
        `${theirs.id},theirs,,x\n` +
        `${a.id},b,v,x\n` +
        `${missing},a,,x\n` +
        `${c.id},c,,good\n` +
        `${c.id},c,,twice\n`,
      true,
    );
    assert.equal(status, 200);
    assert.deepEqual(counts(body), [9, 0, 1, 8]);
    const errors = body.errors.map(({ rowNumber, message, definitionId }: Record<string, unknown>) => [
      rowNumber,
      message,
      definitionId,
    ]);
    assert.deepEqual(errors, [
      [2, 'The row has no id. Overwriting needs one.', undefined],
      [3, 'The row has no id. Overwriting needs one.', undefined],
      [4, unknown, missing],
      [5, unknown, 'nonsense'],
      [6, unknown, theirs.id],
      [7, `Another definition has this key and value: ${b.id}.`, a.id],
      [8, `Row 4 has the same id.`, missing],
      [10, 'Row 9 has the same id.', c.id],
    ]);
    assert.deepEqual(
      (await here.read()).map((one: { eventDescription: string }) => one.eventDescription),
      [null, null, 'good'],
    );
    assert.deepEqual(await elsewhere.read(), [theirs]);
  });

  test('fails rows with invalid fields and counts lengths in code points', async () => {
    const here = await arrangeStudio(app);
    const good = [
      `${'🎯'.repeat(32)},${'v'.repeat(32)},match,${'🎯'.repeat(32)},${'🎯'.repeat(512)},true`,
      `  ${'cafe\u0301'.repeat(8)} ,v,,  ${'c'.repeat(32)} ,,`,
      ` Scope , v , Player ,,, True `,
    ];
    const bad: [string, RegExp][] = [
      [',v,,,,', /^event_key must not be empty\.$/],
      ['  ,v,,,,', /^event_key must not be empty\.$/],
      [`${'k'.repeat(33)},,,,,`, /^event_key must not have more than 32 characters\.$/],
      [`k,${'v'.repeat(33)},,,,`, /^event_value must not have more than 32 characters\.$/],
      [`k,,,${'c'.repeat(33)},,`, /^event_category must not have more than 32/],
      [`k,,,,${'🎯'.repeat(513)},`, /^event_description must not have more than 512/],
      ['k,,all,,,', /^event_scope must be match, player or both\.$/],
      ['k,,,,,maybe', /^is_active must be true or false\.$/],
      ['k,,,,,true,more', /more cells than the header/],
      [`,${'v'.repeat(33)},all,,,2`, /^event_key .+; event_value .+; event_scope .+; is_active .+\.$/],
    ];
    const rows = [...good, ...bad.map(([row]) => row)];
    const { status, body } = await here.import(`${HEADER.slice(3)}${rows.join('\n')}`);
    assert.equal(status, 200);
    assert.deepEqual(counts(body), [rows.length, good.length, 0, bad.length], JSON.stringify(body.errors));
    for (const [index, [row, message]] of bad.entries()) {
      assert.equal(body.errors[index].rowNumber, 2 + good.length + index);
      assert.match(body.errors[index].message, message, row);
    }
    assert.deepEqual(body.errors.at(-1).eventScope, 'all');
    assert.equal('isActive' in body.errors.at(-1), false);
    assert.equal(body.errors.at(-2).isActive, true);
    assert.deepEqual((await here.read()).length, good.length);
  });

  test('returns 400 for an invalid file and writes nothing', async () => {
    const here = await arrangeStudio(app);
    const row = 'event_key,event_value\nk,v\n';
    for (const [csv, overwrite, code] of [
      ['', false, 'csv_malformed'],
      ['\ufeff\n\n', false, 'csv_malformed'],
      [`${row}"open`, false, 'csv_malformed'],
      [Buffer.concat([Buffer.from(row), Buffer.from([0xff])]), false, 'csv_malformed'],
      [`${row}a\0b,`, false, 'csv_malformed'],
      [',\nk,v', false, 'csv_header'],
      ['event_key,event_value,colour\nk,v,red', false, 'csv_header'],
      ['event_key,event_value,EVENT_KEY\nk,v,k', false, 'csv_header'],
      ['event_key\nk', false, 'csv_header'],
      [row, true, 'csv_header'],
      [`event_key,event_value\n${'k,v\n'.repeat(5_001)}`, false, 'csv_too_large'],
      [row + '\n'.repeat(LIMIT + 1 - row.length), false, 'csv_too_large'],
    ] as const) {
      const { status, body } = await here.import(csv, overwrite);
      assert.deepEqual([status, body.code], [400, code], body.detail);
      assert.ok(body.detail);
    }
    assert.deepEqual(await here.read(), []);
    const { status, body } = await here.import(row + '\n'.repeat(LIMIT - row.length));
    assert.deepEqual([status, body.created], [200, 1], 'at the limit');
    assert.deepEqual(counts((await here.import(HEADER, true)).body), [0, 0, 0, 0], 'a header without rows');
  });

  test('imports 5,000 rows in one request', async () => {
    const here = await arrangeStudio(app);
    const rows = Array.from({ length: 5_000 }, (_, index) => `key ${index % 100},value ${index}\n`).join('');
    const { body } = await here.import(`event_key,event_value\n${rows}`);
    assert.deepEqual(counts(body), [5_000, 5_000, 0, 0]);
    const again = await here.import((await here.export()).text.replaceAll(',match,', ',player,'), true);
    assert.deepEqual(counts(again.body), [5_000, 0, 5_000, 0]);
    assert.ok((await here.read()).every((one: { eventScope: string }) => one.eventScope === 'player'));
    assert.equal((await here.audit()).length, 10_000);
  });

  test('applies an import to the next event', async () => {
    const here = await arrangeStudio(app);
    const player = await arrangePlayer(app, here.tenant);
    const send = async () => {
      const event = {
        playerId: player.playerId,
        eventKey: 'jump',
        idempotencyKey: randomUUID(),
        occurredAt: new Date().toISOString(),
      };
      const { body } = await app.http.post('/api/game/player-events', { events: [event] }, player.caller);
      return body.records?.length === 1 ? 'accepted' : body.errors[0].statusCode;
    };
    assert.equal(await send(), 422);
    await here.import('event_key,event_value,event_scope\njump,,player');
    assert.equal(await send(), 'accepted');
    for (let round = 0; round < 5; round++) {
      const on = (await here.export()).text;
      await here.import(on.replace(',true', ',false'), true);
      assert.equal(await send(), 409);
      await here.import(on, true);
      assert.equal(await send(), 'accepted');
    }
  });
});
