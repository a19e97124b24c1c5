import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { BucketStorage } from '../outbound/object-storage.ts';
import { serveOnLoopback } from './loopback-server.ts';

/** A stored object. */
interface StoredObject {
  bytes: Buffer;
  type: string | undefined;
}

/** A fake S3 server with PUT, GET, DELETE and ListObjectsV2, and path-style URLs. */
interface S3Server {
  url: string;
  /** The stored objects by `bucket/key`. */
  objects: Map<string, StoredObject>;
  /**
   * The failure of all following requests: 503 SlowDown, like S3 under load, no response, an object that is stored without a response,
   * half of an object, or a response that sends a byte every 100 ms and never ends.
   */
  trouble: 'none' | 'slow down' | 'silence' | 'unanswered' | 'half' | 'drip';
  /** The number of objects and endless responses that are being sent. */
  sending: number;
  /** Called before each request is answered, with its method and its `bucket/key`. The answer waits for it. */
  onRequest: (method: string, key: string) => void | Promise<void>;
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 100);
  response.once('close', () => clearInterval(timer));
}

const ACCESS_KEY = 'test-key';
/** Of one page. */
const LISTED_KEYS = 2;

/** A bucket of the server. */
export const bucketAt = (endpoint: string): BucketStorage => ({
  kind: 's3',
  bucket: 'events',
  prefix: 'archive',
  region: 'us-east-1',
  endpoint,
});

/**
 * Starts the server until the tests of the file end. It accepts requests that are signed with its own key, and puts
 * that key into the environment, where AWS clients look for it.
 */
export async function startS3Server(): Promise<S3Server> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: 'test-secret' });
  const state: S3Server = { url: '', objects: new Map(), trouble: 'none', sending: 0, onRequest: () => {} };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fail = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`);
    };
    const bytes = await buffer(request);
    if (state.trouble === 'silence') return;
    if (state.trouble === 'slow down') return fail(503, 'SlowDown');
    const signature = request.headers.authorization ?? '';
    if (!signature.startsWith(`AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/`)) return fail(403, 'AccessDenied');

    const send = (status: number, headers: Record<string, string>, body = ''): void => {
      response.writeHead(status, headers);
      if (state.trouble !== 'drip') return void response.end(body);
      state.sending++;
      response.once('close', () => state.sending--);
      drip(response);
    };

    const { pathname, searchParams } = new URL(request.url!, 'http://s3');
    const key = decodeURIComponent(pathname.slice(1));
    await state.onRequest(request.method!, key);
    if (request.method === 'GET' && searchParams.has('list-type')) {
      return send(200, { 'content-type': 'application/xml' }, listObjects(key, searchParams));
    }
    const object = state.objects.get(key);
    switch (request.method) {
      case 'PUT':
        state.objects.set(key, { bytes, type: request.headers['content-type'] });
        if (state.trouble === 'unanswered') return;
        return send(200, { etag: '"1"' });
      case 'GET':
        if (!object) return fail(404, 'NoSuchKey');
        state.sending++;
        response.once('close', () => state.sending--);
        response.writeHead(200, {
          'content-type': object.type ?? 'binary/octet-stream',
          'content-length': state.trouble === 'drip' ? 1024 ** 2 : object.bytes.length,
        });
        if (state.trouble === 'half') response.write(object.bytes.subarray(0, object.bytes.length / 2));
        else if (state.trouble === 'drip') drip(response);
        else response.end(object.bytes);
        return;
      case 'DELETE':
        state.objects.delete(key);
        return send(state.trouble === 'drip' ? 200 : 204, {});
      default:
        fail(405, 'MethodNotAllowed');
    }
  };
  /** The objects of a bucket with a prefix, two on a page. */
  const listObjects = (bucket: string, query: URLSearchParams): string => {
    const start = `${bucket.replace(/\/$/, '')}/`;
    const keys = [...state.objects.keys()]
      .filter((key) => key.startsWith(start + (query.get('prefix') ?? '')))
      .toSorted()
      .map((key) => key.slice(start.length));
    const first = Number(query.get('continuation-token') ?? 0);
    const next = first + LISTED_KEYS;
    const contents = keys
      .slice(first, next)
      .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
    const more = next < keys.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next < keys.length}</IsTruncated>${more}${contents.join('')}</ListBucketResult>`;
  };
  state.url = await serveOnLoopback((request, response) => void answer(request, response));
  return state;
}
