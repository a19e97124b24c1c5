import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { normaliseKey } from '../../../core/text.ts';
import { arrangeStudio, counts } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const HEADER = 'id,event_key,event_value,event_scope,event_category,event_description,is_active\n';

describe('GET /api/bus_tenants/:tenantId/event-definitions/export', () => {
  test('returns the sorted definitions as a download and omits inactive ones by default', async () => {
    const here = await arrangeStudio(app);
    const empty = await here.export();
    assert.equal(empty.status, 200);
    assert.equal(empty.text, HEADER);
    const b = await here.create({ eventKey: 'b', eventScope: 'both', eventDescription: 'a "b", and\nmore' });
    const a2 = await here.create({ eventKey: 'a', eventValue: '2', eventCategory: 'c' });
    const a = await here.create({ eventKey: 'a', isActive: false });
    const all = await here.export();
    assert.equal(
      all.text,
      `${HEADER}${a.id},a,,match,,,false\n${a2.id},a,2,match,c,,true\n${b.id},b,,both,,"a ""b"", and\nmore",true\n`,
    );
    assert.equal(all.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(all.headers.get('content-disposition'), 'attachment; filename="event-definitions.csv"');
    for (const query of ['', '?includeInactive=false'])
      assert.equal((await here.export(query)).text.includes(a.id), false, query);
    assert.equal((await here.export('?includeInactive=perhaps')).status, 400);
  });

  test('escapes formulas and adds a byte order mark for non-ASCII text', async () => {
    const here = await arrangeStudio(app);
    const bytes = async () => {
      const response = await fetch(`${app.url}${here.list}/export`, {
        headers: { authorization: `Bearer ${here.admin.bearer}` },
      });
      return Buffer.from(await response.arrayBuffer());
    };
    for (const start of ['=', '+', '-', '@', "'"])
      await here.create({
        eventKey: `${start}k`,
        eventValue: `${start}v`,
        eventCategory: `${start}c`,
        eventDescription: `${start}d`,
      });
    await here.create({ eventKey: 'k', eventDescription: '\tx' });
    await here.create({ eventKey: 'l', eventDescription: '\rx' });
    const plain = (await bytes()).toString();
    for (const start of ['=', '+', '-', '@', "'"])
      assert.ok(plain.includes(`,'${start}k,'${start}v,match,'${start}c,'${start}d,true\n`), plain);
    assert.ok(plain.includes(`,'\tx,`) && plain.includes(`,"'\rx",`), plain);
    assert.ok(plain.startsWith('id,'));
    await here.create({ eventKey: 'm', eventDescription: 'né' });
    assert.ok((await bytes()).toString().startsWith('\ufeffid,'));
  });

  test('exports each of 7,000 definitions once', async () => {
    const here = await arrangeStudio(app);
    await app.owner.query(
      `INSERT INTO event_definitions (tenant_id, id, event_key, event_value)
     SELECT $1, gen_random_uuid(), 'key ' || n % 7, nullif(n / 7, 0)::text FROM generate_series(0, 6999) n`,
      [here.tenant.tenantId],
    );
    const lines = (await here.export()).text.trimEnd().split('\n').slice(1);
    const names = lines.map((line) => line.split(',').slice(1, 3).join());
    assert.equal(names.length, 7_000);
    assert.equal(new Set(names).size, 7_000);
    const listed = (await here.read()) as { eventKey: string; eventValue: string | null }[];
    assert.deepEqual(
      names,
      listed.map(({ eventKey, eventValue }) => `${eventKey},${eventValue ?? ''}`),
    );
  });
});

/** Strings that often break spreadsheets, CSV and SQL. */
const awkward = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'=+-@\'",;\t\r\n ＝\ufeff\\{}NULLtrue0é🎯\u0301\u2028') }),
);
const storable = awkward.map((text) => text.replaceAll('\0', ''));
const cut = (text: string, length: number) => [...text].slice(0, length).join('');
const definition = fc.record({
  eventKey: storable.map((text) => normaliseKey(cut(normaliseKey(text), 32)) || 'k'),
  eventValue: storable.map((text) => normaliseKey(cut(normaliseKey(text), 32)) || null),
  eventScope: fc.constantFrom('match', 'player', 'both'),
  eventCategory: storable.map((text) => cut(text.trim(), 32).trim() || null),
  eventDescription: storable.map((text) => cut(text, 512) || null),
  isActive: fc.boolean(),
});
const definitions = fc.uniqueArray(definition, {
  selector: ({ eventKey, eventValue }) => JSON.stringify([eventKey, eventValue]),
  maxLength: 40,
});

describe('export and import', () => {
  test('restore any definitions in the same and in another tenant', async () => {
    const [here, there] = [await arrangeStudio(app), await arrangeStudio(app)];
    await fc.assert(
      fc.asyncProperty(definitions, async (wanted) => {
        await app.owner.query('DELETE FROM event_definitions WHERE tenant_id IN ($1, $2)', [
          here.tenant.tenantId,
          there.tenant.tenantId,
        ]);
        await app.owner.query(
          `INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, event_category, event_description, is_active)
         SELECT $1, gen_random_uuid(), row."eventKey", row."eventValue", row."eventScope", row."eventCategory", row."eventDescription", row."isActive"
         FROM jsonb_to_recordset($2) row ("eventKey" text, "eventValue" text, "eventScope" text, "eventCategory" text,
                                          "eventDescription" text, "isActive" boolean)`,
          [here.tenant.tenantId, JSON.stringify(wanted)],
        );
        const before = await here.read();
        assert.equal(before.length, wanted.length);
        const csv = (await here.export()).text;

        const same = await here.import(csv, true);
        assert.deepEqual(counts(same.body), [wanted.length, 0, wanted.length, 0], JSON.stringify(same.body));
        assert.deepEqual(await here.read(), before, 'nothing was written');

        await app.owner.query(
          `UPDATE event_definitions SET event_scope = 'both', event_category = 'changed', event_description = 'changed', is_active = NOT is_active
         WHERE tenant_id = $1`,
          [here.tenant.tenantId],
        );
        await here.import(csv, true);
        assert.equal((await here.export()).text, csv);

        const { body } = await there.import(csv);
        assert.deepEqual(counts(body), [wanted.length, wanted.length, 0, 0], JSON.stringify(body));
        const plain = (all: Record<string, unknown>[]) =>
          all.map(({ id: _id, createdAt: _created, updatedAt: _updated, ...rest }) => rest);
        assert.deepEqual(plain(await there.read()), plain(before));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test('return 200 or 400 for any bytes', async () => {
    const here = await arrangeStudio(app);
    const { id } = await here.create({ eventKey: 'k' });
    const cell = fc.oneof(
      awkward,
      fc.constantFrom('k', 'v', id, 'match', 'true', '', ...HEADER.trim().split(',')),
    );
    const table = fc
      .tuple(
        fc.constantFrom('', HEADER, HEADER.toUpperCase(), 'event_key,event_value\n'),
        fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
      )
      .map(([header, rows, end]) => Buffer.from(header + rows.map((row) => row.join(',')).join(end)));
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(fc.oneof(table, bytes), fc.boolean(), async (file, overwrite) => {
        const { status, body } = await here.import(file, overwrite);
        if (status === 400) assert.match(body.code, /^csv_/);
        else {
          assert.equal(status, 200, JSON.stringify(body));
          assert.equal(body.totalRows, body.created + body.updated + body.failed);
          assert.equal(body.errors.length, body.failed);
        }
      }),
      { numRuns: 500, endOnFailure: true },
    );
  });
});
