/** Bodies that are not JSON. */
export const BODIES: (string | Buffer)[] = [
  '{"a":',
  'x',
  '{} {}',
  'NaN',
  '['.repeat(10_000),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"a": 1}', 'utf16le'),
];

/** Content types and encodings, with a body that is JSON. */
export const CONTENT_HEADERS: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json\t' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/xml' },
  { 'content-type': '/' },
  { 'content-type': '' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'content-encoding': 'br, gzip' },
];

/** Headers that a request may have. None of them changes what the request does. */
export const HEADERS: Record<string, string>[] = [
  { accept: 'application/xml' },
  { accept: '*/*;q=0, x' },
  { 'accept-encoding': 'x, *;q=0' },
  { 'x-request-id': "' OR 1=1" },
  { 'x-request-id': 'x'.repeat(2000) },
  { 'x-http-method-override': 'DELETE' },
  { 'x-original-url': '/api/admin/outbox' },
  { origin: 'null' },
  { range: 'bytes=0-0' },
  { 'if-none-match': '*' },
  { 'x-forwarded-for': 'no address, 999.1.1.1' },
  { 'x-forwarded-proto': 'javascript' },
  { traceparent: '00-zz-zz-00' },
  { cookie: '__proto__=1; a' },
  { 'last-event-id': '../..' },
  { 'idempotency-key': 'short' },
  { 'x-identity-proof': '%%%' },
];
