import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';
const LIMIT = 2 * 1024 * 1024;

const newPlayer = async () => ({ bearer: (await arrangePlayer(app, tenant)).accessToken });
type Player = Awaited<ReturnType<typeof newPlayer>>;

const form = (file: Buffer | string, name = 'a.png', type = 'image/png'): FormData => {
  const parts = new FormData();
  parts.append('avatarFile', new Blob([file as never], { type }), name);
  return parts;
};

async function send(body: FormData | string | undefined, { bearer }: Player, headers = {}) {
  const response = await fetch(`${app.url}${ME}/avatar`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const upload = (file: Buffer, player: Player) => send(form(file), player);

/** Downloads an uploaded image and reads its metadata. */
async function picture(avatarUrl: string) {
  const response = await fetch(avatarUrl.replace(app.issuer, app.url));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { response, bytes, ...(response.ok && { meta: await sharp(bytes).metadata() }) };
}

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c33' } });

const png = await canvas(600, 300).png().toBuffer();
const jpg = await canvas(300, 600).jpeg().toBuffer();

/** Adds a chunk after the header of a PNG. */
function withChunk(file: Buffer, type: string, data: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, 33), chunk(type, data), file.subarray(33)]);
}

/** Changes the size in the header of a PNG. */
function withSize(file: Buffer, width: number, height: number): Buffer {
  const header = Buffer.from(file.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([file.subarray(0, 8), chunk('IHDR', header), file.subarray(33)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

describe('POST /api/player-profile/me/avatar', () => {
  test('scales down a PNG or JPG, keeps its format, and serves it with immutable caching', async () => {
    const player = await newPlayer();
    for (const [file, type, width, height] of [
      [png, 'png', 512, 256],
      [jpg, 'jpeg', 256, 512],
    ] as const) {
      const { status, body } = await upload(file, player);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(Object.keys(body), ['avatarUrl']);
      assert.match(body['avatarUrl']!, /^http:\/\/guildhall\.test\/avatars\/[0-9a-f]{32}\.(png|jpg)$/);
      assert.equal((await app.http.get(ME, player)).body.avatarUrl, body['avatarUrl']);
      const { response, meta } = await picture(body['avatarUrl']!);
      assert.deepEqual(
        [response.status, meta?.format, meta?.width, meta?.height],
        [200, type, width, height],
      );
      assert.equal(response.headers.get('content-type'), `image/${type}`);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    }
  });

  test('does not enlarge a small image', async () => {
    const { body } = await upload(await canvas(3, 2).png().toBuffer(), await newPlayer());
    const { meta } = await picture(body['avatarUrl']!);
    assert.deepEqual([meta?.width, meta?.height], [3, 2]);
  });

  test('gives each upload a new URL and removes the previous image', async () => {
    const player = await newPlayer();
    const first = (await upload(png, player)).body['avatarUrl']!;
    const second = (await upload(png, player)).body['avatarUrl']!;
    assert.notEqual(first, second);
    assert.equal((await picture(first)).response.status, 404);
    assert.equal((await picture(second)).response.status, 200);
    await app.http.patch(ME, { displayName: 'same image', avatarUrl: second }, player);
    assert.equal((await picture(second)).response.status, 200, 'the profile still uses it');
    await app.http.patch(ME, { avatarUrl: 'https://example.com/a.png' }, player);
    assert.equal((await picture(second)).response.status, 404, 'the profile no longer uses it');
  });

  test('removes metadata and all other data from the file', async () => {
    const player = await newPlayer();
    const secret = 'GPS-52.5200N-13.4050E';
    const located = await canvas(40, 20)
      .jpeg()
      .withExif({ IFD0: { Copyright: secret }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
      .toBuffer();
    assert.ok(located.includes(secret), 'the test image contains it');
    const script = Buffer.from('<script>alert(document.domain)</script>');
    const zip = Buffer.from('PK\x03\x04 and a whole archive');
    for (const file of [
      Buffer.concat([located, script, zip]),
      Buffer.concat([await sharp(located).png().withMetadata().toBuffer(), script, zip]),
    ]) {
      const { bytes, meta } = await picture((await upload(file, player)).body['avatarUrl']!);
      assert.deepEqual([meta?.exif, meta?.icc, meta?.xmp], [undefined, undefined, undefined]);
      for (const trace of [secret, '<script', 'PK\x03\x04', 'Exif'])
        assert.equal(bytes.includes(trace), false, trace);
    }
  });

  test('rotates an image upright', async () => {
    const sideways = await canvas(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    assert.equal((await sharp(sideways).metadata()).orientation, 6);
    const { meta } = await picture((await upload(sideways, await newPlayer())).body['avatarUrl']!);
    assert.deepEqual([meta?.width, meta?.height, meta?.orientation], [20, 40, undefined]);
  });

  test('converts 16-bit PNGs to 8 bits, keeps transparency, and drops animation', async () => {
    const player = await newPlayer();
    const deep = await canvas(8, 8).toColourspace('rgb16').png().toBuffer();
    assert.equal((await sharp(deep).metadata()).depth, 'ushort', 'the test image has 16 bits');
    assert.equal((await picture((await upload(deep, player)).body['avatarUrl']!)).meta?.depth, 'uchar');
    const clear = await canvas(8, 8).ensureAlpha(0.5).png().toBuffer();
    assert.equal((await picture((await upload(clear, player)).body['avatarUrl']!)).meta?.hasAlpha, true);
    const animated = withChunk(png, 'acTL', Buffer.from('0000000200000000', 'hex'));
    const { bytes, meta } = await picture((await upload(animated, player)).body['avatarUrl']!);
    assert.deepEqual([bytes.includes('acTL'), meta?.pages], [false, undefined]);
  });

  test('accepts 2 MiB and returns 400 for one byte more', async () => {
    const player = await newPlayer();
    const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    const before = (await upload(padded(LIMIT), player)).body['avatarUrl']!;
    assert.ok(before);
    for (const size of [LIMIT + 1, 3 * LIMIT]) {
      const refused = await upload(padded(size), player);
      assert.deepEqual([refused.status, refused.body['code']], [400, 'avatar_too_large']);
    }
    assert.equal((await app.http.get(ME, player)).body.avatarUrl, before);
  });

  test('returns 400 for other formats, even if the form declares a PNG', async () => {
    const player = await newPlayer();
    const gif = await canvas(4, 4).gif().toBuffer();
    const webp = await canvas(4, 4).webp().toBuffer();
    const files: [string, Buffer][] = [
      ['gif', gif],
      ['webp', webp],
      ['tiff', await canvas(4, 4).tiff().toBuffer()],
      ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>')],
      ['html', Buffer.from('<!doctype html><script>alert(1)</script>')],
      ['exe', Buffer.from('MZ\x90\0\x03')],
      ['pdf', Buffer.from('%PDF-1.7')],
      ['nothing', Buffer.alloc(0)],
    ];
    for (const [what, file] of files) {
      const refused = await upload(file, player);
      assert.deepEqual([refused.status, refused.body['code']], [400, 'avatar_type'], what);
    }
    const honest = await send(form(jpg, 'virus.exe', 'application/x-msdownload'), player);
    assert.equal(honest.status, 200, 'the file name and the declared type do not matter');
  });

  test('returns 400 for a damaged image and for too many pixels', async () => {
    const player = await newPlayer();
    const noisy = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer();
    const signature = png.subarray(0, 8);
    const files: [string, Buffer][] = [
      ['only a signature', signature],
      ['garbage behind a signature', Buffer.concat([signature, Buffer.alloc(500, 7)])],
      ['a JPG of garbage', Buffer.concat([jpg.subarray(0, 3), Buffer.alloc(500, 7)])],
      ['an incomplete PNG', png.subarray(0, png.length / 2)],
      ['an incomplete JPG', noisy.subarray(0, noisy.length / 2)],
      ['an image of 5000 × 4096 pixels', await canvas(5000, 4096).png().toBuffer()],
      ['a line of 16,385 pixels', await canvas(16_385, 1).png().toBuffer()],
      ['a column of 16,385 pixels', await canvas(1, 16_385).png().toBuffer()],
      ['4096 × 4096 pixels with 16 bits', await canvas(4096, 4096).toColourspace('rgb16').png().toBuffer()],
      ['a header with 60,000 × 60,000 pixels', withSize(png, 60_000, 60_000)],
    ];
    for (const [what, file] of files) {
      const refused = await upload(file, player);
      assert.deepEqual([refused.status, refused.body['code']], [400, 'avatar_unreadable'], what);
    }
    assert.equal(
      (await upload(await canvas(4096, 4096).png().toBuffer(), player)).status,
      200,
      'at the limit',
    );
  });

  test('requires one file in the field avatarFile, and ignores other fields', async () => {
    const player = await newPlayer();
    const other = form(png);
    other.append('note', 'mine');
    other.append('else', new Blob(['x']), 'x.txt');
    assert.equal((await send(other, player)).status, 200);

    const two = form(png);
    two.append('avatarFile', new Blob([png]), 'b.png');
    const misnamed = new FormData();
    misnamed.append('file', new Blob([png]), 'a.png');
    const text = new FormData();
    text.append('avatarFile', 'a text');
    const many = form(png);
    for (let index = 0; index < 50; index++) many.append('field', 'x');
    const evil = form(png);
    evil.append('__proto__', 'x');
    for (const [what, body] of Object.entries({ two, misnamed, text, many, evil, empty: new FormData() })) {
      const refused = await send(body, player);
      assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid_request'], what);
    }
    const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '',
      'nonsense',
      '--x\r\n',
      '--x\r\ncontent-disposition: form-data; name="avatarFile"; filename="a"\r\n\r\nabc',
    ])
      assert.equal((await send(body, player, multipart)).status, 400, body);
    assert.equal(
      (await send('x', player, { 'content-type': 'multipart/form-data' })).status,
      400,
      'no boundary',
    );
  });

  test('returns 415 for a body that is not a form', async () => {
    const player = await newPlayer();
    for (const type of [
      'application/json',
      'image/png',
      'text/plain',
      'multipart/mixed; boundary=x',
      'multipart/form-dataX',
    ])
      assert.equal((await send('{}', player, { 'content-type': type })).status, 415, type);
    assert.equal((await send(undefined, player)).status, 415);
  });

  test('returns 503 while another upload of the player is in progress', async () => {
    const player = await newPlayer();
    const large = await canvas(4096, 4096).png().toBuffer();
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(large, player)));
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 200 || status === 503),
      statuses.join(),
    );
    assert.ok(statuses.includes(200) && statuses.includes(503), statuses.join());
    for (const { status, body } of answers) if (status === 503) assert.equal(body['code'], 'busy');
  });

  test('answers 40 concurrent uploads with 200 or 503', async () => {
    const players = await Promise.all(Array.from({ length: 40 }, newPlayer));
    const large = await canvas(4000, 4000).png().toBuffer();
    const answers = await Promise.all(players.map((player) => upload(large, player)));
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 200 || status === 503),
      statuses.join(),
    );
    assert.ok(statuses.filter((status) => status === 200).length >= 16, statuses.join());
    assert.ok(statuses.includes(503), 'some uploads are refused');
  });

  test('leaves no unused images after concurrent uploads', async () => {
    const { rows } = await app.owner.query('SELECT avatar_name FROM players WHERE avatar_name IS NOT NULL');
    assert.deepEqual(
      (await readdir(app.avatars)).toSorted(),
      rows.map(({ avatar_name }) => avatar_name).toSorted(),
    );
  });
});

describe('PATCH /api/player-profile/me', () => {
  test('accepts the avatar URL of another player, and does not remove that image', async () => {
    const [owner, admirer] = [await newPlayer(), await newPlayer()];
    const { avatarUrl } = (await upload(png, owner)).body;
    assert.equal((await app.http.patch(ME, { avatarUrl }, admirer)).status, 200);
    assert.equal((await app.http.patch(ME, { avatarUrl: null }, admirer)).status, 200);
    assert.equal((await picture(avatarUrl!)).response.status, 200);
  });
});

describe('GET /avatars/{name}', () => {
  test('returns 404 for unknown and malformed names', async () => {
    for (const name of [
      'x',
      '..%2f..%2fetc%2fpasswd',
      `${'0'.repeat(32)}.png`,
      `${'0'.repeat(32)}.svg`,
      '%00.png',
      '.',
    ])
      assert.ok([404, 400].includes((await app.http.get(`/avatars/${name}`)).status), name);
    assert.equal((await app.http.post('/avatars/x', {})).status, 405);
  });
});
