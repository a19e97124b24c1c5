import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlayer,
  arrangeTenant,
  type TestTenant,
} from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const player = await arrangePlayer(app, tenant);

let count = 0;
const event = (fields: object = {}) => ({
  playerId: player.playerId,
  eventKey: 'jump',
  idempotencyKey: `key-${++count}`,
  occurredAt: '2026-11-20T10:00:00Z',
  ...fields,
});
const send = (events: unknown, caller: object = player.caller) =>
  app.http.post('/api/game/player-events', { events }, caller);

describe('POST /api/game/player-events', () => {
  test('stores a batch and returns its records', async () => {
    const answer = await send([
      event({ value: 5 }),
      event({ eventValue: 'high', value: '-7', occurredAt: '2026-11-20T12:00:00.1234567+02:00' }),
    ]);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.records.length, 2);
    assert.deepEqual(answer.body.errors, []);
    assert.equal(answer.body.duplicateCount, 0);
    const { rows } = await app.owner.query(
      'SELECT value, occurred_at::text, tenant_id FROM player_events WHERE id = $1',
      [answer.body.records[1].eventRecordId],
    );
    assert.deepEqual(rows, [
      { value: '-7', occurred_at: '2026-11-20 10:00:00.123456+00', tenant_id: tenant.tenantId },
    ]);
  });

  test('reads a long integer from the member value only', async () => {
    const [first = '', ...others] = [
      '"value" : \n9223372036854775807 ,"x":1',
      '"x":{"value":9223372036854775807},"value":1.000000000000000',
      String.raw`"x":"\"value\": 9223372036854775807","value":1e3`,
      String.raw`"x\"value":9223372036854775807,"value":3`,
    ].map((members) => `${JSON.stringify(event()).slice(0, -1)},${members}}`);
    const answer = await app.http.raw(
      'POST',
      '/api/game/player-events',
      `[${[first, ...others].join(',')}]`,
      player.caller,
    );
    assert.equal(answer.status, 201, answer.text);
    const ids = answer.body.records.map(({ eventRecordId }: { eventRecordId: string }) => eventRecordId);
    const { rows } = await app.owner.query<{ value: string }>(
      'SELECT value FROM player_events WHERE id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], id)',
      [ids],
    );
    assert.deepEqual(
      rows.map(({ value }) => value),
      ['9223372036854775807', '1', '1000', '3'],
    );
  });

  test('stores 64-bit integers exactly and rejects other numbers', async () => {
    const exact = {
      '9223372036854775807': '9223372036854775807',
      '-9223372036854775808': '-9223372036854775808',
      '9007199254740993': '9007199254740993',
      '0': '0',
      '-0': '0',
      '1e18': '1000000000000000000',
      '9.223372036854775807e18': '9223372036854775807',
      '9007199254740993.0': '9007199254740993',
    };
    for (const [value, stored] of Object.entries(exact)) {
      const idempotencyKey = `big${value}`;
      const body = `{"events":[${JSON.stringify(event({ idempotencyKey })).slice(0, -1)},"value":${value}}]}`;
      const answer = await app.http.raw('POST', '/api/game/player-events', body, player.caller);
      assert.equal(answer.status, 201, answer.text);
      const path = `/api/bus_tenants/${tenant.tenantId}/events?scope=player&limit=1000`;
      const { text } = await app.http.get(path, { apiKey: tenant.apiKey });
      assert.ok(text.includes(`"idempotencyKey":"${idempotencyKey}","value":${stored},`), value);
    }
    for (const value of [
      '9223372036854775808',
      '-9223372036854775809',
      '1.5',
      '0.99999999999999999',
      '-4503599627370497.5',
      '999999999999999.99',
      '1e300',
      '12345678901234567.5',
      '1e-400',
      '9007199254740990.6e0',
      '1e19',
      '"12.0"',
      '"x"',
      'true',
      '[]',
    ]) {
      const body = `{"events":[${JSON.stringify(event()).slice(0, -1)},"value":${value}}]}`;
      const answer = await app.http.raw('POST', '/api/game/player-events', body, player.caller);
      assert.equal(answer.status, 422, value);
      assert.equal(answer.body.errors[0].statusCode, 400, value);
    }
  });

  const hoursAhead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  test('stores the valid events of a batch and reports the others', async () => {
    const cases: [fields: object, statusCode: number][] = [
      [{ playerId: randomUUID() }, 403],
      [{ playerId: 'x' }, 400],
      [{ eventKey: undefined }, 400],
      [{ eventKey: 'k'.repeat(33) }, 400],
      [{ eventKey: 5 }, 400],
      [{ eventKey: 'a\0b' }, 400],
      [{ eventValue: 'v'.repeat(33) }, 400],
      [{ eventKey: undefined, eventDefinitionId: randomUUID() }, 404],
      [{ eventDefinitionId: 'nope' }, 400],
      [{ loginSessionId: 5 }, 400],
      [{ idempotencyKey: '' }, 400],
      [{ idempotencyKey: '  ' }, 400],
      [{ idempotencyKey: 'i'.repeat(65) }, 400],
      [{ idempotencyKey: 'a\0b' }, 400],
      [{ idempotencyKey: '\ud83d' }, 400],
      [{ idempotencyKey: 7 }, 400],
      [{ occurredAt: '2026-11-20T10:00:00' }, 400],
      [{ occurredAt: 1795211592726 }, 400],
      [{ occurredAt: undefined }, 400],
      [{ occurredAt: hoursAhead(48.1) }, 400],
      [{ occurredAt: '2099-01-01T00:00:00Z' }, 400],
      [{ occurredAt: '1969-12-31T23:59:59.999999Z' }, 400],
      // In UTC this time is before 1970.
      [{ occurredAt: '1970-01-01T00:30:00+01:00' }, 400],
    ];
    const events: unknown[] = cases.map(([fields]) => event(fields));
    events.push(null, 5, 'x', [], event());
    const answer = await send(events);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(
      answer.body.records.map((record: { index: number }) => record.index),
      [events.length - 1],
    );
    assert.deepEqual(
      answer.body.errors.map(({ index, statusCode }: { index: number; statusCode: number }) => [
        index,
        statusCode,
      ]),
      [
        ...cases.map(([, statusCode], index) => [index, statusCode]),
        ...[0, 1, 2, 3].map((more) => [cases.length + more, 400]),
      ],
    );
    assert.deepEqual(answer.body.warnings, [], 'a text has no unknown members');
  });

  test('names a missing field', async () => {
    const fields = ['playerId', 'idempotencyKey', 'occurredAt'];
    const { body } = await send(fields.map((field) => event({ [field]: undefined })));
    assert.deepEqual(
      body.errors.map(({ error }: { error: string }) => error),
      fields.map((field) => `${field} is missing.`),
    );
  });

  test('says which form a time must have', async () => {
    const times = ['2026-11-20T10:00:00', '2026-11-20T10:00Z', 1795211592726];
    const { body } = await send(times.map((occurredAt) => event({ occurredAt })));
    assert.deepEqual(
      body.errors.map(({ error }: { error: string }) => error),
      Array(3).fill(
        'occurredAt must be an ISO 8601 date and time with seconds and an offset (Z or +hh:mm), such as 2026-11-20T21:19:00Z.',
      ),
    );
  });

  test('names the field with a character that cannot be stored', async () => {
    const fields = ['eventKey', 'eventValue', 'idempotencyKey'];
    const { body } = await send(fields.map((field) => event({ [field]: 'a\0b' })));
    assert.deepEqual(
      body.errors.map(({ error }: { error: string }) => error),
      fields.map((field) => `${field} must not contain a NUL character or an unpaired surrogate.`),
    );
  });

  test('accepts events from the start of 1970 to 48 hours ahead', async () => {
    const times = ['1970-01-01T00:00:00Z', '1969-12-31T23:30:00-01:00', hoursAhead(47.9)];
    const answer = await send(times.map((occurredAt) => event({ occurredAt })));
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.records.length, times.length);
  });

  test('counts the length of keys in code points', async () => {
    const answer = await send([
      event({ eventKey: '🐴'.repeat(32), eventValue: '♞'.repeat(32), idempotencyKey: '🐴'.repeat(64) }),
      event({ eventKey: '🐴'.repeat(33) }),
      event({ idempotencyKey: '🐴'.repeat(65) }),
    ]);
    assert.deepEqual(
      answer.body.records.map((record: { index: number }) => record.index),
      [0],
    );
  });

  test('returns 400 for an empty, oversized or malformed batch', async () => {
    assert.equal((await send([])).body.code, 'batch_size');
    assert.equal((await send(Array(10_001).fill(event()))).body.code, 'batch_size');
    const raw = (body: string) => app.http.raw('POST', '/api/game/player-events', body, player.caller);
    const values = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
    const tooMany = await raw(values(200_001));
    assert.deepEqual([tooMany.status, tooMany.body.code], [400, 'batch_size']);
    assert.match(tooMany.body.detail, /at most 200000 values/);
    assert.match((await raw(values(200_000))).body.detail, /at most 10000 are allowed/);
    const text = JSON.stringify(event({ note: `"${',{['.repeat(100_000)}\\` }));
    assert.equal(
      (await raw(`[${text}]`)).status,
      201,
      'commas and brackets in a string do not count as values',
    );
    assert.equal((await app.http.post('/api/game/player-events', undefined, player.caller)).status, 400);
    for (const body of ['', '{}', '{"events":{}}', '5', 'null', '"x"']) {
      const answer = await app.http.raw('POST', '/api/game/player-events', body, player.caller);
      assert.equal(answer.status, 400, body);
    }
    const malformed = await app.http.raw('POST', '/api/game/player-events', '{"events":[', player.caller);
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'malformed_json']);
    const bare = await app.http.post('/api/game/player-events', [event()], player.caller);
    assert.equal(bare.status, 201, 'a bare array is a batch');
  });

  test('stores 10,000 events in one batch', async () => {
    const events = Array.from({ length: 10_000 }, (_, index) =>
      event({ value: index, idempotencyKey: `bulk-${index}` }),
    );
    const answer = await send(events);
    assert.equal(answer.status, 201);
    assert.equal(answer.body.records.length, 10_000);
    assert.deepEqual([answer.body.records[0].index, answer.body.records[9_999].index], [0, 9_999]);
  });

  test('writes the errors of a batch in slices', async (t) => {
    const refused = Array.from({ length: 2_000 }, () => event({ value: 'x' }));
    const bodies = [refused, [event(), ...refused]].map((events) => JSON.stringify(events));
    const { stringify } = JSON;
    const written: string[] = [];
    t.mock.method(JSON, 'stringify', (...values: Parameters<typeof stringify>) => {
      const text = stringify(...values);
      if (text?.includes('"statusCode":400')) written.push(text);
      return text;
    });
    for (const [stored, body] of bodies.entries()) {
      written.length = 0;
      const answer = await app.http.raw('POST', '/api/game/player-events', body, player.caller);
      assert.equal(answer.status, [422, 201][stored]);
      const { records, errors } = answer.body;
      assert.deepEqual([records.length, errors.length, errors[1_999].index], [stored, 2_000, stored + 1_999]);
      assert.ok(written.length >= 8, 'a slice has at most 250 errors');
    }
  });

  test('processes a large batch of another tenant before all large batches of a busy one', async () => {
    const other = await arrangeTenant(app, { autoCreate: true });
    const otherPlayer = await arrangePlayer(app, other);
    const large = (playerId: string): object[] =>
      Array.from({ length: 2_500 }, () =>
        event({ playerId, idempotencyKey: randomUUID().repeat(2).slice(0, 64), note: 'x'.repeat(100) }),
      );
    let answered = 0;
    const busy = Array.from({ length: 12 }, async () => {
      const answer = await send(large(player.playerId));
      answered++;
      return answer.status;
    });
    const answer = await send(large(otherPlayer.playerId), otherPlayer.caller);
    const before = answered;
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(new Set(await Promise.all(busy)), new Set([201]));
    assert.ok(before < 9, `${before} of 12 batches of the busy tenant were first`);
  });

  test('returns batch_size for more events than the plan allows', async () => {
    const small = await arrangeTenant(app, { autoCreate: true });
    await app.owner.query(
      `UPDATE workspaces SET max_player_event_records_per_request = 2, max_match_event_records_per_request = 1
       WHERE id = $1`,
      [small.workspaceId],
    );
    const { caller, playerId } = await arrangePlayer(app, small);
    const sendOfMatch = (events: object[]) => app.http.post('/api/game/events', { events }, caller);
    assert.equal((await sendOfMatch([event(), event()])).body.code, 'batch_size');
    assert.equal((await sendOfMatch([event()])).body.code, 'events_rejected');
    assert.equal((await send([event({ playerId }), event({ playerId })], caller)).status, 201);
    assert.equal(
      (await send([event({ playerId }), event({ playerId }), event({ playerId })], caller)).body.code,
      'batch_size',
    );
  });

  test('counts duplicates without storing them', async () => {
    const twice = event();
    const first = await send([
      twice,
      twice,
      { ...twice, occurredAt: '2026-11-20T11:00:00+01:00' },
      { ...twice, occurredAt: '2026-11-20T11:00:00+0100' },
    ]);
    assert.equal(first.status, 201);
    assert.equal(first.body.records.length, 1);
    assert.equal(first.body.duplicateCount, 3);

    const again = await send([twice]);
    assert.equal(again.status, 422);
    assert.equal(again.body.code, 'events_rejected');
    assert.equal(again.body.duplicateCount, 1);
    assert.deepEqual([again.body.records, again.body.errors], [[], []]);
    assert.match(again.body.detail, /were stored before/);

    // In the order in which they are stored. A batch of this size has its own transaction.
    const many = Array.from({ length: 40 }, (_, index) => event({ idempotencyKey: `twice ${100 + index}` }));
    const doubled = await send(many.flatMap((one) => [one, one]));
    assert.deepEqual(
      [doubled.status, doubled.body.records?.length, doubled.body.duplicateCount],
      [201, 40, 40],
    );

    const other = await send([{ ...twice, occurredAt: '2026-11-20T10:00:00.000001Z' }]);
    assert.equal(other.status, 201, 'the same key at another microsecond is a new event');
  });

  test('stores a batch once when it is sent ten times in parallel', async () => {
    for (const size of [3, 300]) {
      const batch = Array.from({ length: size }, () => event());
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(batch)));
      assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 422));
      const stored = answers.flatMap((answer) => answer.body.records);
      assert.equal(stored.length, size);
      assert.equal(new Set(stored.map((record) => record.index)).size, size);
      assert.equal(
        answers.reduce((sum, answer) => sum + answer.body.duplicateCount, 0),
        9 * size,
      );
    }
  });

  test('stores overlapping batches in opposite order without a deadlock', async () => {
    for (let round = 0; round < 5; round++) {
      const batch = Array.from({ length: 400 }, () => event());
      const answers = await Promise.all(
        [batch, batch.toReversed(), batch.slice(100), batch.toReversed().slice(50)].map((events) =>
          send(events),
        ),
      );
      assert.ok(
        answers.every((answer) => answer.status === 201 || answer.status === 422),
        answers.map((answer) => answer.text.slice(0, 200)).join('\n'),
      );
      assert.equal(answers.flatMap((answer) => answer.body.records).length, 400);
    }
  });

  test('creates one definition when 16 batches use a new key at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => send([event({ eventKey: 'first contact', eventValue: 'x' })])),
    );
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([201]));
    assert.equal(new Set(answers.map((answer) => answer.body.records[0].eventDefinitionId)).size, 1);
  });

  test('resolves definitions by ID, then by key and value', async () => {
    const strict = await arrangeTenant(app);
    const { caller, playerId } = await arrangePlayer(app, strict);
    const define = async (
      eventKey: string,
      eventScope: string,
      isActive = true,
      eventValue: string | null = null,
    ) => {
      const id = randomUUID();
      await app.owner.query(
        'INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, is_active) VALUES ($1, $2, $3, $4, $5, $6)',
        [strict.tenantId, id, eventKey, eventValue, eventScope, isActive],
      );
      return id;
    };
    const [forPlayer, forBoth, forMatch, inactive] = [
      await define('p', 'player'),
      await define('b', 'both', true, 'v'),
      await define('m', 'match'),
      await define('off', 'player', false),
    ];
    const unknown = randomUUID();
    const cases: [fields: object, expected: number | string][] = [
      [{ eventDefinitionId: forPlayer }, forPlayer],
      [{ eventDefinitionId: forPlayer.toUpperCase() }, forPlayer],
      [{ eventKey: ' p ' }, forPlayer],
      [{ eventKey: 'p', eventValue: '' }, forPlayer],
      [{ eventKey: 'b', eventValue: ' v ' }, forBoth],
      [{ eventKey: 'b' }, 422],
      [{ eventKey: 'p', eventValue: 'v' }, 422],
      [{ eventDefinitionId: forMatch }, 409],
      [{ eventKey: 'm' }, 409],
      [{ eventDefinitionId: inactive }, 409],
      [{ eventKey: 'off' }, 409],
      [{ eventDefinitionId: inactive, eventKey: 'p' }, 409],
      [{ eventDefinitionId: unknown }, 404],
      [{ eventDefinitionId: unknown, eventKey: 'p' }, forPlayer],
      [{ eventDefinitionId: unknown, eventKey: 'off' }, 409],
      [{ eventDefinitionId: unknown, eventKey: 'nothing' }, 422],
      [{ eventKey: 'nothing' }, 422],
    ];
    const events = cases.map(([fields]) => ({ ...event({ playerId }), eventKey: undefined, ...fields }));
    const { body } = await send(events, caller);
    for (const [index, [fields, expected]] of cases.entries()) {
      const record = body.records.find((one: { index: number }) => one.index === index);
      const error = body.errors.find((one: { index: number }) => one.index === index);
      assert.equal(record?.eventDefinitionId ?? error?.statusCode, expected, JSON.stringify(fields));
    }
    assert.deepEqual(
      body.warnings.map((warning: { index: number }) => warning.index),
      [13],
    );
  });

  test('warns of an unknown eventDefinitionId for stored events only, not for duplicates', async () => {
    const renamed = (fields: object) => ({ ...event(fields), eventDefinitionId: randomUUID() });
    const indices = (list: { index: number }[]) => list.map(({ index }) => index);
    for (const size of [1, 300]) {
      const batch = Array.from({ length: size }, () => renamed({}));
      const first = await send([...batch, batch[0]]);
      assert.equal(first.status, 201, first.text);
      assert.equal(first.body.duplicateCount, 1);
      assert.deepEqual(indices(first.body.warnings), indices(first.body.records));

      const again = await send(batch);
      assert.equal(again.status, 422, again.text);
      assert.equal(again.body.duplicateCount, size);
      assert.deepEqual([again.body.records, again.body.warnings, again.body.errors], [[], [], []]);

      const mixed = await send([batch[0], renamed({})]);
      assert.deepEqual([mixed.status, mixed.body.duplicateCount], [201, 1], mixed.text);
      assert.deepEqual(indices(mixed.body.warnings), [1]);
    }
  });

  test('counts a stored event as a duplicate after its definition stopped accepting it', async () => {
    const changing = await arrangeTenant(app);
    const admin = await arrangeAccount(app, changing, 'admin');
    const path = `/api/bus_tenants/${changing.tenantId}/event-definitions`;
    const change = async (target: string, to: object) =>
      assert.equal((await app.http.patch(`${path}/${target}`, to, admin)).status, 200);
    const { caller, playerId } = await arrangePlayer(app, changing);
    for (const size of [1, 30]) {
      await change('settings', { autoCreate: true });
      const batch = Array.from({ length: size }, () => event({ playerId, eventKey: `level ${size}` }));
      const first = await send(batch, caller);
      assert.equal(first.status, 201, first.text);
      await change('settings', { autoCreate: false });
      for (const [changed, error] of [
        [{ isActive: false }, 'The event definition is inactive. Activate it, or use another definition.'],
        [
          { isActive: true, eventScope: 'match' },
          'The event definition is for match events. Change its scope to both, or use another definition.',
        ],
      ] as const) {
        await change(first.body.records[0].eventDefinitionId, changed);
        const again = await send([...batch, event({ playerId, eventKey: `level ${size}` })], caller);
        assert.deepEqual(
          [again.status, again.body.duplicateCount, again.body.records],
          [422, size, []],
          again.text,
        );
        assert.deepEqual(again.body.errors, [
          { index: size, statusCode: 409, error, eventKey: `level ${size}` },
        ]);
      }
      const renamed = await send(
        [{ ...batch[0], eventKey: 'unknown' }, event({ playerId, eventKey: 'new' })],
        caller,
      );
      assert.deepEqual([renamed.body.duplicateCount, renamed.body.errors.length], [1, 1], renamed.text);
    }
  });
});

describe('POST /api/game/events', () => {
  test('rejects events without a roster entry of the bearer in the match', async () => {
    const other = await arrangePlayer(app, tenant);
    const startMatch = async (...players: { playerId: string }[]) => {
      const matchSessionId = randomUUID();
      await app.owner.query('INSERT INTO match_sessions (tenant_id, id, started_at) VALUES ($1, $2, now())', [
        tenant.tenantId,
        matchSessionId,
      ]);
      const roster = await Promise.all(
        players.map(async ({ playerId }) => {
          const matchPlayerId = randomUUID();
          await app.owner.query(
            'INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at) VALUES ($1, $2, $3, $4, now())',
            [tenant.tenantId, matchPlayerId, matchSessionId, playerId],
          );
          return matchPlayerId;
        }),
      );
      return { matchSessionId, roster };
    };
    const match = await startMatch(player, other);
    const elsewhere = await startMatch(player);
    const [mine, theirs] = match.roster;
    const matchEvent = (fields: object) => ({
      ...event(),
      playerId: undefined,
      eventKey: 'move',
      matchSessionId: match.matchSessionId,
      ...fields,
    });
    const events = [
      matchEvent({ matchPlayerId: mine }),
      matchEvent({ matchPlayerId: theirs }),
      matchEvent({ matchPlayerId: elsewhere.roster[0] }),
      matchEvent({ matchPlayerId: randomUUID() }),
      matchEvent({ matchPlayerId: mine, matchSessionId: randomUUID() }),
      matchEvent({ matchPlayerId: mine, matchSessionId: 5 }),
      matchEvent({}),
    ];
    const answer = await app.http.post('/api/game/events', { events }, player.caller);
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(
      answer.body.records.map(({ index, matchPlayerId, matchSessionId }: Record<string, unknown>) => [
        index,
        matchPlayerId,
        matchSessionId,
      ]),
      [[0, mine, match.matchSessionId]],
    );
    assert.deepEqual(
      answer.body.errors.map(({ statusCode }: { statusCode: number }) => statusCode),
      [403, 404, 404, 404, 400, 400],
    );
  });
});

describe('an event of the other scope', () => {
  test('names the endpoint that takes it', async () => {
    const { playerId, ...rest } = event();
    const matchPlayerId = playerId;
    for (const [path, sent, expected] of [
      [
        '/api/game/player-events',
        { matchPlayerId, ...rest },
        /^playerId is missing\. .+ to POST \/api\/game\/events\.$/,
      ],
      [
        '/api/game/events',
        { playerId, ...rest },
        /^matchPlayerId is missing\. .+ to POST \/api\/game\/player-events\.$/,
      ],
      ['/api/game/events', rest, /^matchPlayerId is missing\.$/],
    ] as const) {
      const answer = await app.http.post(path, { events: [sent] }, player.caller);
      assert.match(answer.body.errors[0].error, expected);
    }
  });
});

describe('event ingestion endpoints', () => {
  test('return 401 without a valid game key and a bearer token of its tenant', async () => {
    const foreign: TestTenant = await arrangeTenant(app);
    const stranger = await arrangePlayer(app, foreign);
    for (const [caller, code] of [
      [{}, 'missing_game_key'],
      [{ gameKey: 'gh_game_x', bearer: player.accessToken }, 'invalid_game_key'],
      [{ gameKey: tenant.apiKey, bearer: player.accessToken }, 'invalid_game_key'],
      [{ gameKey: tenant.gameKey }, 'missing_bearer'],
      [{ gameKey: tenant.gameKey, bearer: 'x.y.z' }, 'invalid_bearer'],
      [{ gameKey: tenant.gameKey, bearer: stranger.accessToken }, 'invalid_bearer'],
      [{ gameKey: foreign.gameKey, bearer: player.accessToken }, 'invalid_bearer'],
    ] as const) {
      for (const path of ['/api/game/player-events', '/api/game/events']) {
        const answer = await app.http.post(path, { events: [event()] }, caller);
        assert.deepEqual([answer.status, answer.body.code], [401, code]);
      }
    }
  });

  test('return 413 for a body over 16 MiB and 415 for another content type', async () => {
    const big = await app.http.raw(
      'POST',
      '/api/game/player-events',
      `{"x":"${'x'.repeat(16 * 1024 * 1024)}"}`,
      player.caller,
    );
    assert.equal(big.status, 413);
    const headers = { 'content-type': 'text/plain' };
    const plain = await app.http.raw('POST', '/api/game/player-events', '{"events":[]}', {
      ...player.caller,
      headers,
    });
    assert.equal(plain.status, 415);
  });
});
