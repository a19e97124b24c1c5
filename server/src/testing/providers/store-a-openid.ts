import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serveOnLoopback } from '../loopback-server.ts';

const OPENID = 'http://specs.openid.net/auth/2.0';
const SIGNED = ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle'];

/** A fake of StoreA's OpenID 2.0 service. It has no associations, and verifies each of its assertions once. */
export interface StoreAOpenIdServer {
  url: string;
  endpoint: string;
  /** The forms of all verification requests. */
  asked: URLSearchParams[];
  /** Opens `authUrl` like a browser that is signed in to the store as `accountId`, and returns the redirect. */
  browse(authUrl: string, accountId: string): Promise<string>;
  /** Signs an assertion with these fields, even with content that the store would never send. */
  sign(fields: Record<string, string>, signed?: string[]): URLSearchParams;
  /** Replaces the response to the next verification. */
  answerNext(answer: (response: ServerResponse) => void): void;
  /** Whether it verifies an assertion repeatedly, like a careless provider. */
  careless: boolean;
}

/** Starts the store for the tests of a file. */
export async function startStoreAOpenId(): Promise<StoreAOpenIdServer> {
  const secret = randomBytes(32);
  const verified = new Set<string>();
  let answerNext: ((response: ServerResponse) => void) | undefined;

  const signatureOf = (fields: URLSearchParams): string => {
    const names = (fields.get('openid.signed') ?? '').split(',');
    const text = names.map((name) => `${name}:${fields.get(`openid.${name}`) ?? ''}\n`).join('');
    return createHmac('sha256', secret).update(text).digest('base64');
  };

  const isValid = (form: URLSearchParams): boolean => {
    const [given, own] = [Buffer.from(form.get('openid.sig') ?? ''), Buffer.from(signatureOf(form))];
    const nonce = form.get('openid.response_nonce') ?? '';
    if (given.length !== own.length || !timingSafeEqual(given, own)) return false;
    if (verified.has(nonce) && !store.careless) return false;
    verified.add(nonce);
    return true;
  };

  const answer: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', store.url);
    if (pathname !== '/openid/login') return void response.writeHead(404).end('<h1>Not found</h1>');
    if (request.method === 'POST') return void verify(request, response);
    signIn(searchParams, request.headers.cookie, response);
  };

  const signIn = (query: URLSearchParams, cookie: string | undefined, response: ServerResponse): void => {
    const returnTo = query.get('openid.return_to') ?? '';
    const understands =
      query.get('openid.ns') === OPENID &&
      query.get('openid.mode') === 'checkid_setup' &&
      query.get('openid.claimed_id') === `${OPENID}/identifier_select` &&
      query.get('openid.identity') === `${OPENID}/identifier_select` &&
      returnTo.startsWith(query.get('openid.realm') ?? 'no realm');
    const accountId = /^account=(\d{17})$/.exec(cookie ?? '')?.[1];
    if (!understands) return void response.writeHead(400).end('<h1>Unable to verify the request</h1>');
    if (!accountId) return void response.writeHead(200).end('<form>Name and password</form>');
    const identity = `${store.url}/openid/id/${accountId}`;
    const assertion = store.sign({ claimed_id: identity, identity, return_to: returnTo });
    response.writeHead(302, { location: `${returnTo}&${assertion.toString()}` }).end();
  };

  const verify = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    store.asked.push(form);
    const answer = answerNext;
    answerNext = undefined;
    if (answer) return answer(response);
    const knows =
      /^application\/x-www-form-urlencoded(;|$)/.test(request.headers['content-type'] ?? '') &&
      form.get('openid.mode') === 'check_authentication' &&
      isValid(form);
    response.setHeader('content-type', 'text/plain;charset=utf-8');
    response.end(`ns:${OPENID}\nis_valid:${knows}\n`);
  };

  const url = await serveOnLoopback(answer);
  const store: StoreAOpenIdServer = {
    url,
    endpoint: `${url}/openid/login`,
    asked: [],
    careless: false,
    async browse(authUrl, accountId) {
      const answer = await fetch(authUrl, {
        headers: { cookie: `account=${accountId}` },
        redirect: 'manual',
      });
      const location = answer.headers.get('location');
      if (!location) throw new Error(`The store sends nobody back: ${answer.status} ${await answer.text()}`);
      return location;
    },
    sign(fields, signed = SIGNED) {
      const all = {
        ns: OPENID,
        mode: 'id_res',
        op_endpoint: store.endpoint,
        response_nonce: `${new Date().toISOString().slice(0, 19)}Z${randomBytes(9).toString('base64')}`,
        assoc_handle: '1234567890',
        ...fields,
        signed: signed.join(','),
      };
      const assertion = new URLSearchParams(
        Object.entries(all).map(([name, value]) => [`openid.${name}`, value]),
      );
      assertion.set('openid.sig', signatureOf(assertion));
      return assertion;
    },
    answerNext: (answer) => (answerNext = answer),
  };
  return store;
}
