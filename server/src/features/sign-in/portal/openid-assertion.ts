/** OpenID 2.0, as far as a site needs it that asks one fixed provider who somebody is. */
const OPENID = 'http://specs.openid.net/auth/2.0';
const ANY_IDENTITY = `${OPENID}/identifier_select`;

/** The provider, and the page that it sends browsers back to. Addresses as browsers write them. */
export interface OpenIdParties {
  /** Where browsers sign in, and where assertions are verified. Never taken from a message. */
  endpoint: string;
  /** What claimed identifiers start with; the account's number follows. */
  identityPrefix: string;
  returnUrl: string;
  /** What the provider tells the player that they sign in to. */
  realm: string;
}

/** What a provider says in a callback, as far as can be seen without asking it. */
export interface Assertion {
  /** The account's number at the provider. */
  accountId: string;
  state: string;
  nonce: string;
  /** The `openid.*` parameters as they came. */
  fields: Map<string, string>;
}

/** Without these under its signature an assertion says nothing (OpenID 2.0, 10.1). */
const MUST_BE_SIGNED = [
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
];

/**
 * The parameters of a callback: all of them, and no others. We ask for no extension, so a provider sends none; and we agree on
 * no secret with it, so it has none to invalidate.
 */
const FIELDS = ['ns', 'mode', 'signed', 'sig', ...MUST_BE_SIGNED].map((name) => `openid.${name}`);
const PARAMETERS = new Set(['state', ...FIELDS]);

/** Far above what a provider sends: some 250 characters. */
const LONGEST_VALUE = 2048;
/** How far a provider's clock and a slow browser may be off. */
const NONCE_AGE_MS = 5 * 60_000;
const NONCE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ).{0,235}$/;

/** Where a browser goes to sign in. `state` comes back with it. */
export function signInUrl({ endpoint, returnUrl, realm }: OpenIdParties, state: string): string {
  const query = new URLSearchParams({
    'openid.ns': OPENID,
    'openid.mode': 'checkid_setup',
    'openid.claimed_id': ANY_IDENTITY,
    'openid.identity': ANY_IDENTITY,
    'openid.return_to': returnWith(returnUrl, state),
    'openid.realm': realm,
  });
  return `${endpoint}?${query.toString()}`;
}

/**
 * Reads the address at which a browser came back. Undefined unless everything in it is as the provider would have sent it
 * today, in answer to a sign-in of ours: what remains open is whether the provider has, and whether `state` was issued.
 */
export function readAssertion(
  parties: OpenIdParties,
  callbackUrl: string,
  at: number,
): Assertion | undefined {
  const parameters = readParameters(parties.returnUrl, callbackUrl);
  if (!parameters) return undefined;
  const field = (name: string): string => parameters.get(`openid.${name}`) ?? '';

  const state = parameters.get('state') ?? '';
  const nonce = field('response_nonce');
  const accountId = readIdentity(parties.identityPrefix, field('claimed_id'));
  const signed = field('signed').split(',');
  const holds =
    accountId !== undefined &&
    field('ns') === OPENID &&
    field('mode') === 'id_res' &&
    field('op_endpoint') === parties.endpoint &&
    field('identity') === field('claimed_id') &&
    field('return_to') === returnWith(parties.returnUrl, state) &&
    MUST_BE_SIGNED.every((name) => signed.includes(name)) &&
    isRecent(nonce, at);
  if (!holds) return undefined;
  parameters.delete('state');
  return { accountId, state, nonce, fields: parameters };
}

/** The form that asks the provider whether an assertion is its own, and was not asked about before (OpenID 2.0, 11.4.2). */
export function verificationForm({ fields }: Assertion): string {
  const form = new Map(fields).set('openid.mode', 'check_authentication');
  return new URLSearchParams([...form]).toString();
}

/** Whether an answer to that, in key-value form, says yes (OpenID 2.0, 4.1.1). Nothing else means yes. */
export function saysValid(answer: string): boolean {
  const lines = answer.replace(/\n$/, '').split('\n');
  const pairs = lines.map((line) => line.split(/:(.*)/s, 2) as [string, string | undefined]);
  const values = new Map(pairs);
  return (
    pairs.every(([, value]) => value !== undefined) &&
    values.size === pairs.length &&
    values.get('ns') === OPENID &&
    values.get('is_valid') === 'true'
  );
}

function returnWith(returnUrl: string, state: string): string {
  return `${returnUrl}?state=${state}`;
}

/** The parameters of an address that is ours to the letter, each of them once; undefined for any other. */
function readParameters(returnUrl: string, callbackUrl: string): Map<string, string> | undefined {
  const start = `${returnUrl}?`;
  // A fragment is no part of what the store sent.
  if (!callbackUrl.startsWith(start) || callbackUrl.includes('#')) return undefined;
  const pairs = [...new URLSearchParams(callbackUrl.slice(start.length))];
  const parameters = new Map(pairs);
  // All are printable ASCII. A value is a line of what the provider signs: a line break in it would make two of one.
  const sound = pairs.every(
    ([name, value]) => PARAMETERS.has(name) && value.length <= LONGEST_VALUE && /^[!-~]+$/.test(value),
  );
  return sound && pairs.length === PARAMETERS.size && parameters.size === PARAMETERS.size
    ? parameters
    : undefined;
}

/** The account's number: 17 digits after the prefix, and nothing after them. */
function readIdentity(prefix: string, claimedId: string): string | undefined {
  const accountId = claimedId.slice(prefix.length);
  return claimedId.startsWith(prefix) && /^\d{17}$/.test(accountId) ? accountId : undefined;
}

function isRecent(nonce: string, at: number): boolean {
  return Math.abs(Date.parse(NONCE.exec(nonce)?.[1] ?? '') - at) <= NONCE_AGE_MS;
}
