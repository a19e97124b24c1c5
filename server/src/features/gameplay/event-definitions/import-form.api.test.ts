import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer } from '../../../testing/arrange.ts';
import { arrangeStudio, counts, csvForm, uploadCsv } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const HEADER = 'id,event_key,event_value,event_scope,event_category,event_description,is_active\n';

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('accepts one file in any field and a boolean overwriteExisting', async () => {
    const here = await arrangeStudio(app);
    const csv = 'id,event_key,event_value\n,k,v\n';
    const send = async (body: FormData | string | undefined, headers = {}) => {
      const answer = await uploadCsv(app, here.list, body, { ...here.admin, headers });
      return [answer.status, answer.body.code ?? counts(answer.body)] as const;
    };
    assert.deepEqual(
      await send(csvForm(csv, undefined, 'csvFile')),
      [200, [1, 1, 0, 0]],
      'create-only by default',
    );
    for (const wish of ['true', 'True', ' TRUE '])
      assert.deepEqual(await send(csvForm(csv, wish)), [200, [1, 0, 0, 1]]);
    assert.deepEqual(await send(csvForm(csv, 'False')), [200, [1, 0, 0, 1]]);
    const others = csvForm(csv);
    others.append('note', 'mine');
    assert.equal((await send(others))[0], 200);

    const two = csvForm(csv, false);
    two.append('other', new Blob([csv]), 'b.csv');
    const none = new FormData();
    none.append('overwriteExisting', 'true');
    const text = new FormData();
    text.append('file', csv);
    const twice = csvForm(csv, true);
    twice.append('overwriteExisting', 'false');
    const many = csvForm(csv);
    for (let index = 0; index < 50; index++) many.append('field', 'x');
    const evil = csvForm(csv);
    evil.append('__proto__', 'x');
    const asFile = csvForm(csv);
    asFile.append('overwriteExisting', new Blob(['true']), 'x');
    const bad = { two, none, text, twice, many, evil, asFile, empty: new FormData() };
    for (const [what, body] of Object.entries(bad))
      assert.deepEqual(await send(body), [400, 'invalid_request'], what);
    for (const wish of ['', 'yes', '1', 'null', 'true,false'])
      assert.deepEqual(await send(csvForm(csv, wish)), [400, 'invalid_request'], wish);

    const part = (head: string, body: string) =>
      `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
    const file = part('name="file"; filename="a"\r\ncontent-type: text/csv', csv);
    const json = (body: string) => part('name="overwriteExisting"\r\ncontent-type: application/json', body);
    const raw = { 'content-type': 'multipart/form-data; boundary=x' };
    assert.deepEqual(await send(`${file}${json('true')}--x--`, raw), [200, [1, 0, 0, 1]]);
    for (const body of [
      '',
      'nonsense',
      '--x\r\n',
      file,
      `${file}${json('{"toString":1}')}--x--`,
      `${file}${json('null')}--x--`,
      `${file}${json('{')}--x--`,
      `${file}--x--`.replace('form-data; ', ''),
    ])
      assert.deepEqual(await send(body, raw), [400, 'invalid_request'], body);
    assert.deepEqual(await send('x', { 'content-type': 'multipart/form-data' }), [400, 'invalid_request']);
    for (const type of [
      'application/json',
      'text/csv',
      'multipart/mixed; boundary=x',
      'multipart/form-dataX',
    ])
      assert.equal((await send('{}', { 'content-type': type }))[0], 415, type);
    assert.equal((await send(undefined))[0], 415);
    assert.equal((await here.read()).length, 1);
  });
});

describe('definition CSV endpoints', () => {
  test('allow only admins and owners of the tenant', async () => {
    const here = await arrangeStudio(app);
    const player = await arrangePlayer(app, here.tenant);
    for (const [caller, status] of [
      [await arrangeAccount(app, here.tenant, 'owner'), 200],
      [await arrangeAccount(app, here.tenant, 'viewer'), 403],
      [await arrangeAccount(app, here.tenant), 404],
      [{}, 401],
      [{ bearer: 'nonsense' }, 401],
      [{ gameKey: here.tenant.gameKey }, 401],
      [{ apiKey: here.tenant.apiKey }, 401],
      [player.caller, 401],
    ] as const) {
      assert.equal((await app.http.get(`${here.list}/export`, caller)).status, status);
      assert.equal((await uploadCsv(app, here.list, csvForm(HEADER), caller)).status, status);
      // Authorization comes before the validation of the form.
      if (status !== 200)
        assert.equal((await uploadCsv(app, here.list, new FormData(), caller)).status, status);
    }
    for (const id of [randomUUID(), 'nonsense']) {
      const list = `/api/bus_tenants/${id}/event-definitions`;
      assert.equal((await app.http.get(`${list}/export`, here.admin)).status, 404);
      assert.equal((await uploadCsv(app, list, csvForm(HEADER), here.admin)).status, 404);
    }
    const upper = here.list.replace(here.tenant.tenantId, here.tenant.tenantId.toUpperCase());
    assert.equal((await uploadCsv(app, upper, csvForm(HEADER), here.admin)).status, 200);
  });

  test('stay available while uploads are stalled', async () => {
    const here = await arrangeStudio(app);
    const abort = new AbortController();
    const endless = () =>
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(
            Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nk'),
          ),
      });
    const uploads = Array.from({ length: 80 }, () =>
      fetch(`${app.url}${here.list}/import`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${here.admin.bearer}`,
          'content-type': 'multipart/form-data; boundary=x',
        },
        body: endless(),
        duplex: 'half',
        signal: abort.signal,
      }),
    );
    const settled = Promise.allSettled(uploads);
    assert.equal((await here.import(HEADER)).status, 200);
    assert.equal((await here.export()).status, 200);
    abort.abort();
    await settled;
  });

  test('asks for a form if the body is JSON', async () => {
    const { list, admin } = await arrangeStudio(app);
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await uploadCsv(app, list, '{}', { ...admin, headers });
    assert.deepEqual(
      [status, body.detail],
      [
        415,
        'This endpoint does not accept the content type application/json. Send the body as multipart/form-data.',
      ],
    );
  });
});
