/** The subset of OpenID 2.0 that a relying party with one fixed provider needs. */
const OPENID = 'http://specs.openid.net/auth/2.0';
const ANY_IDENTITY = `${OPENID}/identifier_select`;

/** The provider, and the page to which it redirects browsers. All URLs are normalized. */
export interface OpenIdParties {
  /** The URL for the sign-in and for the verification of assertions. It is never taken from a message. */
  endpoint: string;
  /** The prefix of claimed identifiers. The account number follows it. */
  identityPrefix: string;
  returnUrl: string;
  /** The site that the provider names to the player. */
  realm: string;
}

/** A parsed callback that the provider has not yet confirmed. */
export interface Assertion {
  /** The account's number at the provider. */
  accountId: string;
  state: string;
  nonce: string;
  /** The unchanged `openid.*` parameters. */
  fields: Map<string, string>;
}

/** The fields that the signature must cover (OpenID 2.0, section 10.1). */
const MUST_BE_SIGNED = [
  'op_endpoint',
  'claimed_id',
  'identity',
  'return_to',
  'response_nonce',
  'assoc_handle',
];

/**
 * The exact set of callback parameters. Guildhall requests no extension, so the provider sends no extension parameters. It shares no
 * secret with the provider, so `openid.invalidate_handle` is never sent either.
 */
const FIELDS = ['ns', 'mode', 'signed', 'sig', ...MUST_BE_SIGNED].map((name) => `openid.${name}`);
const PARAMETERS = new Set(['state', ...FIELDS]);

/** Providers send about 250 characters. */
const LONGEST_VALUE = 2048;
/** Allows for the provider's clock and a slow browser. */
const NONCE_AGE_MS = 5 * 60_000;
const NONCE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ).{0,235}$/;

/** The URL at which a browser signs in. The callback contains `state`. */
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
 * Parses and checks a callback URL. Returns undefined if any part differs from a recent response of the provider to this site. The
 * caller must still check that the provider confirms it, and that `state` was issued.
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
  const isValid =
    accountId !== undefined &&
    field('ns') === OPENID &&
    field('mode') === 'id_res' &&
    field('op_endpoint') === parties.endpoint &&
    field('identity') === field('claimed_id') &&
    field('return_to') === returnWith(parties.returnUrl, state) &&
    MUST_BE_SIGNED.every((name) => signed.includes(name)) &&
    isRecent(nonce, at);
  if (!isValid) return undefined;
  parameters.delete('state');
  return { accountId, state, nonce, fields: parameters };
}

/** The form that asks the provider to verify an assertion. The provider confirms each assertion once (OpenID 2.0, section 11.4.2). */
export function verificationForm({ fields }: Assertion): string {
  const form = new Map(fields).set('openid.mode', 'check_authentication');
  return new URLSearchParams([...form]).toString();
}

/** Whether a verification response, in key-value form, confirms the assertion (OpenID 2.0, section 4.1.1). */
export function isConfirmation(answer: string): boolean {
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

/** The parameters of a callback, if the URL is exactly `returnUrl` and each parameter occurs once. */
function readParameters(returnUrl: string, callbackUrl: string): Map<string, string> | undefined {
  const start = `${returnUrl}?`;
  // The provider sends no fragment.
  if (!callbackUrl.startsWith(start) || callbackUrl.includes('#')) return undefined;
  const pairs = [...new URLSearchParams(callbackUrl.slice(start.length))];
  const parameters = new Map(pairs);
  // The provider signs one line per value, so a line break in a value could forge a second field.
  const isPrintableAscii = pairs.every(
    ([name, value]) => PARAMETERS.has(name) && value.length <= LONGEST_VALUE && /^[!-~]+$/.test(value),
  );
  return isPrintableAscii && pairs.length === PARAMETERS.size && parameters.size === PARAMETERS.size
    ? parameters
    : undefined;
}

/** The account number: exactly 17 digits after the prefix. */
function readIdentity(prefix: string, claimedId: string): string | undefined {
  const accountId = claimedId.slice(prefix.length);
  return claimedId.startsWith(prefix) && /^\d{17}$/.test(accountId) ? accountId : undefined;
}

function isRecent(nonce: string, at: number): boolean {
  return Math.abs(Date.parse(NONCE.exec(nonce)?.[1] ?? '') - at) <= NONCE_AGE_MS;
}
