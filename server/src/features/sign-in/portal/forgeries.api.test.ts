import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeStoreAPlayer, someStoreAAccount } from '../../../testing/arrange.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { startStoreAOpenId } from '../../../testing/providers/store-a-openid.ts';
import { startTestApp } from '../../../testing/test-app.ts';

/** A server of the attacker. It confirms every assertion. */
let attackerAsked = 0;
const evil = await serveOnLoopback((_request, response) => {
  attackerAsked++;
  response.end('ns:http://specs.openid.net/auth/2.0\nis_valid:true\n');
});

const store = await startStoreAOpenId();
const app = await startTestApp({
  env: { STORE_A_OPENID_URL: store.url, PORTAL_URL: 'https://portal.example/me', TRUST_PROXY: 'on' },
});
const victim = await arrangeStoreAPlayer(app);
const attacker = await arrangeStoreAPlayer(app);
const identityOf = (accountId: string) => `${store.url}/openid/id/${accountId}`;
const VICTIM = identityOf(victim.accountId);
const SIGNED = ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle'];
const OPENID = 'http://specs.openid.net/auth/2.0';

let network = 0;
const start = async (): Promise<string> => {
  const caller = { headers: { 'x-forwarded-for': `10.0.${network++ % 256}.1` } };
  return (await app.http.post('/api/player-portal-auth/storea/start', undefined, caller)).body.authUrl;
};
const exchange = (callbackUrl: string) =>
  app.http.post('/api/player-portal-auth/storea/exchange', { callbackUrl });
const returnToOf = (authUrl: string) => new URL(authUrl).searchParams.get('openid.return_to')!;

/** A started sign-in, and everything that an attacker could know of it. */
interface Material {
  returnTo: string;
  state: string;
  /** The genuine callback of the victim's sign-in. */
  callback: string;
  parameters: URLSearchParams;
  /** The callback with changed parameters and the unchanged signature. Null removes a parameter. */
  with(changes: Record<string, string | null>): string;
  /** A callback with other fields and a genuine signature of the store. */
  signed(fields: Record<string, string>, names?: string[]): string;
}

async function prepare(): Promise<Material> {
  const authUrl = await start();
  const returnTo = returnToOf(authUrl);
  const callback = await store.browse(authUrl, victim.accountId);
  const [base = '', query] = callback.split('?');
  const parameters = new URLSearchParams(query);
  return {
    returnTo,
    state: parameters.get('state')!,
    callback,
    parameters,
    with(changes) {
      const changed = new URLSearchParams(query);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) changed.delete(name);
        else changed.set(name, value);
      }
      return `${base}?${changed.toString()}`;
    },
    signed: (fields, names) =>
      `${returnTo}&${store.sign({ claimed_id: VICTIM, identity: VICTIM, return_to: returnTo, ...fields }, names).toString()}`,
  };
}

const identity = (value: string) => (material: Material) =>
  material.signed({ claimed_id: value, identity: value });
const field = (name: string, value: string | null) => (material: Material) =>
  material.with({ [`openid.${name}`]: value });
const nonceAt = (seconds: number, rest = 'x') =>
  new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19) + 'Z' + rest;

type Forge = (material: Material) => string | Promise<string>;

/** Forgeries that the server refuses by itself. If possible the store has signed them, so that only the tested check can refuse them. */
const refusedLocally: Record<string, Forge> = {
  // Another provider.
  'the attacker’s endpoint': ({ signed }) => signed({ op_endpoint: `${evil}/openid/login` }),
  'the endpoint under another path': ({ signed }) => signed({ op_endpoint: `${store.endpoint}/` }),
  'the endpoint with a query': ({ signed }) => signed({ op_endpoint: `${store.endpoint}?x` }),
  'the endpoint as userinfo': ({ signed }) =>
    signed({ op_endpoint: `${store.url}@${evil.slice(7)}/openid/login` }),
  'the endpoint in other letter case': ({ signed }) =>
    signed({ op_endpoint: store.endpoint.replace('login', 'Login') }),
  'the endpoint over https': ({ signed }) =>
    signed({ op_endpoint: store.endpoint.replace('http:', 'https:') }),

  // Another identity, or another spelling of the same one.
  'an identity at the attacker’s': identity(`${evil}/openid/id/${victim.accountId}`),
  'an identity at a host that starts the same': identity(
    `${store.url}.evil.example/openid/id/${victim.accountId}`,
  ),
  'an identity with the store as userinfo': identity(`${store.url}@evil.example/${victim.accountId}`),
  'an identity with the store in the path': identity(`${evil}/${VICTIM}`),
  'an identity with the store in the query': identity(`${evil}/?${VICTIM}`),
  'an identity over https': identity(VICTIM.replace('http:', 'https:')),
  'an identity at another port': identity(
    `http://127.0.0.1:${new URL(evil).port}/openid/id/${victim.accountId}`,
  ),
  'an identity with a path behind it': identity(`${VICTIM}/x`),
  'an identity with a slash behind it': identity(`${VICTIM}/`),
  'an identity with text behind it': identity(`${VICTIM}x`),
  'an identity with text before it': identity(`x${VICTIM}`),
  'an identity with a query': identity(`${VICTIM}?x=1`),
  'an identity with a fragment': identity(`${VICTIM}#x`),
  'an identity with a line break behind it': identity(`${VICTIM}\n`),
  'an identity on a line of its own': identity(`x\n${VICTIM}`),
  'an identity with a space behind it': identity(`${VICTIM} `),
  'an identity with a tab in it': identity(VICTIM.replace('openid', 'open\tid')),
  'an identity with a NUL behind it': identity(`${VICTIM}\0`),
  'an identity of 16 digits': identity(VICTIM.slice(0, -1)),
  'an identity of 18 digits': identity(`${VICTIM}0`),
  'an identity without digits': identity(identityOf('')),
  'an identity of Arabic digits': identity(identityOf('٧٦٥٦١١٩٨٠٠٠٠٠٠٠٠٠')),
  'an identity of full-width digits': identity(identityOf('７６５６１１９８０００００００００')),
  'an identity with a percent-encoded digit': identity(`${VICTIM.slice(0, -1)}%3${VICTIM.slice(-1)}`),
  'an identity with a dot segment': identity(VICTIM.replace('/id/', '/x/../id/')),
  'an identity in other letter case': identity(VICTIM.replace('/openid/', '/OpenID/')),
  'an identity with a sign': identity(identityOf(`+${victim.accountId.slice(1)}`)),
  'an identity of 7 KiB': identity(VICTIM + '0'.repeat(7168)),
  'a handle of 8 KiB': ({ signed }) => signed({ assoc_handle: 'x'.repeat(8192) }),
  'the identity selector': identity(`${OPENID}/identifier_select`),
  'a claimed identity that is not the identity': ({ signed }) =>
    signed({ identity: identityOf(attacker.accountId) }),
  'an identity that is not the claimed one': ({ signed }) =>
    signed({ claimed_id: identityOf(attacker.accountId) }),

  // Fields without the store's signature.
  ...Object.fromEntries(
    SIGNED.flatMap((name): [string, Forge][] => [
      [
        `${name} not signed`,
        ({ signed }) =>
          signed(
            {},
            SIGNED.filter((other) => other !== name),
          ),
      ],
      [`${name} missing`, field(name, null)],
      [`${name} empty`, field(name, '')],
    ]),
  ),
  'nothing signed': ({ signed }) => signed({}, []),
  'signed names with spaces': field('signed', SIGNED.join(', ')),
  'signed names with the prefix': field('signed', SIGNED.map((name) => `openid.${name}`).join(',')),
  'no list of signed names': field('signed', null),
  'no signature': field('sig', null),
  'an empty signature': field('sig', ''),
  'a signature of 8 KiB': field('sig', 'x'.repeat(8192)),
  'a signature with a line break': field('sig', 'abc\nis_valid:true'),
  'a signature with NUL': field('sig', 'abc\0'),

  // Another message.
  'no namespace': field('ns', null),
  'the namespace of OpenID 1.1': field('ns', 'http://openid.net/signon/1.1'),
  'another namespace': field('ns', `${OPENID}/server`),
  'mode cancel': field('mode', 'cancel'),
  'mode error': ({ with: change }) => change({ 'openid.mode': 'error', 'openid.error': 'no' }),
  'mode setup_needed': field('mode', 'setup_needed'),
  'mode checkid_setup': field('mode', 'checkid_setup'),
  'mode check_authentication': field('mode', 'check_authentication'),
  'mode in capitals': field('mode', 'ID_RES'),
  'no mode': field('mode', null),
  'an association': ({ with: change }) =>
    change({ 'openid.mode': 'associate', 'openid.session_type': 'no-encryption' }),
  'an invalidated association': field('invalidate_handle', '1234567890'),
  'an extension': ({ with: change }) =>
    change({ 'openid.ns.ax': 'http://openid.net/srv/ax/1.0', 'openid.ax.claimed_id': VICTIM }),
  'OpenID itself as an extension': ({ with: change }) =>
    change({ 'openid.ns.x': OPENID, 'openid.x.claimed_id': VICTIM }),
  'a name in another letter case': ({ with: change }) =>
    change({ 'openid.claimed_id': null, 'openid.Claimed_ID': VICTIM }),
  'a parameter that nobody asked for': ({ callback }) => `${callback}&next=/`,

  // Repeated parameters.
  ...Object.fromEntries(
    ['state', 'openid.claimed_id', 'openid.identity', 'openid.op_endpoint', 'openid.mode', 'openid.sig'].map(
      (name): [string, Forge] => [
        `${name} twice`,
        ({ callback, parameters }) => `${callback}&${name}=${encodeURIComponent(parameters.get(name) ?? '')}`,
      ],
    ),
  ),
  'the attacker’s identity before the victim’s': ({ callback }) =>
    callback.replace('&', `&openid.claimed_id=${encodeURIComponent(identityOf(attacker.accountId))}&`),
  'a name twice, once encoded': ({ callback }) =>
    `${callback}&openid%2Eclaimed_id=${encodeURIComponent(VICTIM)}`,
  'a parameter twice in place of the signature': ({ with: change }) =>
    `${change({ 'openid.sig': null })}&openid.mode=id_res`,
  'something else in place of the signature': ({ with: change }) =>
    change({ 'openid.sig': null, 'openid.signature': 'AAAA' }),
  'parameters as a list': ({ callback }) => callback.replace('openid.claimed_id=', 'openid.claimed_id[]='),

  // Another callback URL.
  'parameters in the fragment': ({ callback }) => callback.replace('&', '#'),
  'all in the fragment': ({ callback }) => callback.replace('?', '#'),
  'a fragment behind': ({ callback }) => `${callback}#`,
  'another origin': ({ callback }) => callback.replace('portal.example', 'evil.example'),
  'an origin that starts the same': ({ callback }) =>
    callback.replace('portal.example', 'portal.example.evil'),
  'our origin as userinfo': ({ callback }) =>
    callback.replace('portal.example', 'portal.example@evil.example'),
  'userinfo before our origin': ({ callback }) => callback.replace('portal.example', 'x@portal.example'),
  'over http': ({ callback }) => callback.replace('https:', 'http:'),
  'another port': ({ callback }) => callback.replace('portal.example', 'portal.example:444'),
  'the port that goes without saying': ({ callback }) =>
    callback.replace('portal.example', 'portal.example:443'),
  'a host in capitals': ({ callback }) => callback.replace('portal.example', 'PORTAL.example'),
  'a path in capitals': ({ callback }) => callback.replace('/sign-in/', '/Sign-In/'),
  'another path': ({ callback }) => callback.replace('/store-a?', '/store-b?'),
  'a path with more behind it': ({ callback }) => callback.replace('/store-a?', '/store-a/?'),
  'a dot segment': ({ callback }) => callback.replace('/me/', '/me/./'),
  'a backslash': ({ callback }) => callback.replace('/me/', '/me\\'),
  'a space before': ({ callback }) => ` ${callback}`,
  'a line break behind': ({ callback }) => `${callback}\n`,
  'a tab in the host': ({ callback }) => callback.replace('portal', 'por\ttal'),
  'a letter that is none of ASCII': ({ callback }) => `${callback}é`,
  'an encoded half of a surrogate pair': ({ callback }) => `${callback}%ED%A0%80`,
  'an encoded NUL': ({ callback }) => `${callback}%00`,
  'another scheme': () => 'javascript:alert(1)',
  'no parameters': ({ callback }) => callback.split('?')[0]!,

  // Another return address under the signature.
  'an assertion for the attacker’s site': ({ signed, state }) =>
    signed({ return_to: `https://evil.example/sign-in?state=${state}` }),
  'an assertion without the state': ({ signed, returnTo }) => signed({ return_to: returnTo.split('?')[0]! }),
  'an assertion with more in its return address': ({ signed, returnTo }) =>
    signed({ return_to: `${returnTo}&x=1` }),
  'an assertion for another sign-in’s state': async ({ signed }) =>
    signed({ return_to: returnToOf(await start()) }),
  'the state of another sign-in beside it': async ({ with: change }) =>
    change({ state: new URL(returnToOf(await start())).searchParams.get('state') }),
  'no state': ({ with: change }) => change({ state: null }),
  'an empty state': ({ with: change }) => change({ state: '' }),

  // States that were never issued, were used, or have expired.
  'a state that was never issued': ({ returnTo, state }) => {
    const other = returnTo.replace(state, 'A'.repeat(43));
    return `${other}&${store.sign({ claimed_id: VICTIM, identity: VICTIM, return_to: other }).toString()}`;
  },
  'a state that was used': async ({ callback, signed }) => {
    assert.equal((await exchange(callback)).status, 200);
    return signed({});
  },
  'a callback that was used': async ({ callback }) => {
    assert.equal((await exchange(callback)).status, 200);
    return callback;
  },
  'a state that was used up by a forgery': async ({ callback, with: change }) => {
    assert.equal((await exchange(change({ 'openid.sig': 'AAAA' }))).status, 401);
    return callback;
  },
  'a state that has expired': async ({ callback }) => {
    await app.owner.query(`UPDATE store_a_portal_logins SET expires_at = now() WHERE response_nonce IS NULL`);
    return callback;
  },

  // Nonces that were used before, or are too old.
  'a nonce that came before, with a fresh state': async ({ callback, parameters }) => {
    assert.equal((await exchange(callback)).status, 200);
    const nonce = parameters.get('openid.response_nonce')!;
    return (await prepare()).signed({ response_nonce: nonce });
  },
  'an old nonce': ({ signed }) => signed({ response_nonce: nonceAt(-310) }),
  'a nonce of the future': ({ signed }) => signed({ response_nonce: nonceAt(310) }),
  'a nonce of another century': ({ signed }) => signed({ response_nonce: '1926-11-20T10:00:00Zx' }),
  'a nonce without a time': ({ signed }) => signed({ response_nonce: 'x' }),
  'a nonce with an offset': ({ signed }) => signed({ response_nonce: `${nonceAt(0).slice(0, 19)}+00:00x` }),
  'a nonce with fractions': ({ signed }) => signed({ response_nonce: `${nonceAt(0).slice(0, 19)}.000Zx` }),
  'a nonce with no day of the calendar': ({ signed }) =>
    signed({ response_nonce: nonceAt(0).replace(/-\d\d-\d\dT/, '-13-40T') }),
  'a nonce behind a space': ({ signed }) => signed({ response_nonce: ` ${nonceAt(0)}` }),
  'a nonce of 256 characters': ({ signed }) => signed({ response_nonce: nonceAt(0, 'x'.repeat(236)) }),
};

/** Forgeries that only the store can detect. The server sends one request to the store, and none to the attacker. */
const refusedByTheStore: Record<string, Forge> = {
  'another identity under the victim’s signature': ({ with: change }) =>
    change({
      'openid.claimed_id': identityOf(attacker.accountId),
      'openid.identity': identityOf(attacker.accountId),
    }),
  'another nonce under the signature': field('response_nonce', nonceAt(1)),
  'another handle under the signature': field('assoc_handle', 'HMAC-SHA256'),
  'a signature of somebody else’s': field('sig', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='),
  'a signature of one letter': field('sig', 'x'),
  'a name more in the list of signed ones': field('signed', `${SIGNED.join(',')},mode`),
  'an assertion that the store verified before': async ({ callback, parameters }) => {
    const body = new URLSearchParams(parameters);
    body.set('openid.mode', 'check_authentication');
    const answer = await fetch(store.endpoint, { method: 'POST', body });
    assert.match(await answer.text(), /^is_valid:true$/m);
    store.asked.pop();
    return callback;
  },
  ...Object.fromEntries(
    Object.entries({
      'is_valid:false': [200, `ns:${OPENID}\nis_valid:false\n`],
      'is_valid: true with a space': [200, `ns:${OPENID}\nis_valid: true\n`],
      'is_valid in capitals': [200, `ns:${OPENID}\nIS_VALID:TRUE\n`],
      'is_valid:true inside of another field': [200, `ns:${OPENID}\nerror:is_valid:true\n`],
      'is_valid:trueish': [200, `ns:${OPENID}\nis_valid:trueish\n`],
      'is_valid both ways': [200, `ns:${OPENID}\nis_valid:false\nis_valid:true\n`],
      'is_valid:true twice': [200, `ns:${OPENID}\nis_valid:true\nis_valid:true\n`],
      'is_valid:true with a carriage return': [200, `ns:${OPENID}\r\nis_valid:true\r\n`],
      'is_valid:true of another version': [200, 'ns:http://openid.net/signon/1.1\nis_valid:true\n'],
      'is_valid:true alone': [200, 'is_valid:true\n'],
      'a page that says is_valid:true': [200, `<html>\nns:${OPENID}\nis_valid:true\n</html>`],
      'is_valid as JSON': [200, JSON.stringify({ ns: OPENID, is_valid: true })],
      'an empty answer': [200, ''],
      'is_valid:true with status 400': [400, `ns:${OPENID}\nis_valid:true\n`],
      'is_valid:true with status 403': [403, `ns:${OPENID}\nis_valid:true\n`],
      'a redirect to the attacker': [302, `ns:${OPENID}\nis_valid:true\n`],
      'a redirect of the form to the attacker': [307, `ns:${OPENID}\nis_valid:true\n`],
    } as const).map(([name, [status, text]]): [string, Forge] => [
      `the answer: ${name}`,
      ({ callback }) => {
        store.answerNext((response) =>
          response.writeHead(status, status >= 300 ? { location: `${evil}/` } : {}).end(text),
        );
        return callback;
      },
    ]),
  ),
};

/** Exchanges a forgery. Returns the response without the request id, and the number of requests to the store and to the attacker. */
async function attempt(forge: Forge) {
  const callbackUrl = await forge(await prepare());
  const before = store.asked.length;
  const { status, body } = await exchange(callbackUrl);
  const { requestId: _, ...problem } = body;
  return { status, problem, asked: store.asked.length - before, attackerAsked };
}

const REFUSAL = {
  type: 'urn:guildhall:problem:invalid_credentials',
  title: 'The credentials are not valid',
  status: 401,
  detail: 'StoreA did not confirm this sign-in. Start it again.',
  instance: '/api/player-portal-auth/storea/exchange',
  code: 'invalid_credentials',
};

describe('POST /api/player-portal-auth/storea/exchange', () => {
  test('signs the victim in when nothing is forged', async () => {
    for (const honest of [({ callback }: Material) => callback, ({ signed }: Material) => signed({})]) {
      const { status, problem, asked } = await attempt(honest);
      assert.deepEqual([status, problem.playerId, asked], [200, victim.playerId, 1]);
    }
    const longest = await attempt(({ signed }) => signed({ response_nonce: nonceAt(0, 'x'.repeat(235)) }));
    assert.equal(longest.status, 200);
  });

  for (const [name, forge] of Object.entries(refusedLocally))
    test(`returns 401 without a request to the store: ${name}`, async () => {
      assert.deepEqual(await attempt(forge), { status: 401, problem: REFUSAL, asked: 0, attackerAsked: 0 });
    });

  for (const [name, forge] of Object.entries(refusedByTheStore))
    test(`returns 401 after a request to the store: ${name}`, async () => {
      assert.deepEqual(await attempt(forge), { status: 401, problem: REFUSAL, asked: 1, attackerAsked: 0 });
    });

  test('creates no session for over 120 forgeries, and still accepts a genuine callback', async () => {
    assert.ok(Object.keys({ ...refusedLocally, ...refusedByTheStore }).length > 120);
    const sessions = await app.owner.query('SELECT DISTINCT player_id FROM portal_sessions');
    assert.deepEqual(sessions.rows, [{ player_id: victim.playerId }]);
    assert.equal((await exchange((await prepare()).callback)).status, 200, 'a genuine callback still works');
    const unlinked = await store.browse(await start(), someStoreAAccount());
    assert.equal((await exchange(unlinked)).body.detail, 'No active player is linked to this identity.');
  });
});
