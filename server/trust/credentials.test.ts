import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, describe, test } from 'node:test';
import { newOpaqueToken, visiblePrefix } from '../src/security/opaque-tokens.ts';
import { arrangeAccount, arrangeKeyWithoutData, signedToken } from '../src/testing/arrange.ts';
import { someNetwork } from '../src/testing/email-player.ts';
import { createForger } from '../src/testing/forgeries.ts';
import { vault } from '../src/testing/test-vault.ts';
import { createRequests } from './requests.ts';
import {
  addressOf,
  alternativesOf,
  credentialHeaders,
  pickCredentials,
  sendRequest,
  type SchemeName,
  type ValidRequest,
} from './valid-request.ts';
import { arrangeStudio, startWorld, type Operation } from './world.ts';

// Every operation of the OpenAPI document is tried with every credential that it must refuse. An operation that needs a credential
// and has no case fails.

const world = await startWorld();
const { app, operations } = world;
const requests = await createRequests(world);
const studio = await arrangeStudio(world);
const stranger = await arrangeStudio(world);
const forger = await createForger(app);

type Credentials = Partial<Record<SchemeName, string>>;

/** The expected answer: the documented status and code. */
interface Refusal {
  status: number;
  code: string;
}

interface Case {
  fault: string;
  headers: Record<string, string | string[]>;
  refusal: Refusal;
}

const refuse = (status: number, code: string): Refusal => ({ status, code });
const isKey = (scheme: SchemeName): scheme is 'gameKey' | 'apiKey' =>
  scheme === 'gameKey' || scheme === 'apiKey';
const kindOf = { gameKey: 'game', apiKey: 'api' } as const;

/** A key of the studio that stopped working. */
async function endedKey(scheme: 'gameKey' | 'apiKey', end: 'expires_at' | 'revoked_at'): Promise<string> {
  const key = newOpaqueToken(kindOf[scheme]);
  await app.owner.query(
    `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, allow_data_api, ${end})
     VALUES (gen_random_uuid(), $1, $2, 'ended', $3, $4, true, now() - interval '1 second')`,
    [studio.tenant.tenantId, kindOf[scheme], visiblePrefix(key), vault.fingerprint(key)],
  );
  return key;
}

/** A key of a tenant that was disabled. */
async function keyOfDisabledTenant(scheme: 'gameKey' | 'apiKey'): Promise<string> {
  const { tenant } = await arrangeStudio(world);
  await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [tenant.tenantId]);
  return tenant[scheme];
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

/** A valid credential of each kind. */
const anyOf: Record<SchemeName, string> = {
  ...(await kindsOf(studio)),
  metricsToken: 'm'.repeat(32),
};

async function kindsOf({
  tenant,
  owner,
}: typeof studio): Promise<Record<Exclude<SchemeName, 'metricsToken'>, string>> {
  const credentialsOf = async (operationId: string): Promise<Credentials> =>
    (await requests.make(operationNamed(operationId), tenant === studio.tenant ? studio : stranger))
      .credentials;
  const { player, thirdParty } = await credentialsOf('createAssertion');
  const { assertion } = await credentialsOf('validateAssertion');
  const { walletPlayer } = await credentialsOf('setWalletScore');
  return {
    gameKey: tenant.gameKey,
    apiKey: tenant.apiKey,
    account: owner.bearer,
    player: player!,
    thirdParty: thirdParty!,
    assertion: assertion!,
    walletPlayer: walletPlayer!,
  };
}

function operationNamed(operationId: string): Operation {
  return operations.find((one) => one.operationId === operationId)!;
}

const strangers = await kindsOf(stranger);
const refreshToken = (await requests.make(operationNamed('refreshPlayerSession'), studio)).body as {
  refreshToken: string;
};
const portalToken = await signedToken(app, 'player', String(claimsOf(anyOf.player)['sub']), {
  tid: null,
  sid: null,
});
const { rows: endedSessions } = await app.owner.query(
  'INSERT INTO account_sessions (id, account_id, revoked_at) VALUES ($1, $2, now()) RETURNING id',
  [randomUUID(), studio.owner.accountId],
);
const endedAccount = await signedToken(app, 'saas', studio.owner.accountId, { sid: endedSessions[0].id });
const ended = {
  gameKey: {
    expired: await endedKey('gameKey', 'expires_at'),
    revoked: await endedKey('gameKey', 'revoked_at'),
    'of a disabled tenant': await keyOfDisabledTenant('gameKey'),
  },
  apiKey: {
    expired: await endedKey('apiKey', 'expires_at'),
    revoked: await endedKey('apiKey', 'revoked_at'),
    'of a disabled tenant': await keyOfDisabledTenant('apiKey'),
  },
};
const keyWithoutData = await arrangeKeyWithoutData(app, studio.tenant.tenantId);
/** A game key that acts for a player only with the token of the player. */
const { key: keyOfPlayers } = (
  await app.http.post(
    `/api/bus_tenants/${studio.tenant.tenantId}/game-keys`,
    { name: 'client', requirePlayerToken: true },
    studio.owner,
  )
).body as { key: string };
const members = {
  viewer: await arrangeAccount(app, studio.tenant, 'viewer'),
  admin: await arrangeAccount(app, studio.tenant, 'admin'),
};

/** Operations on assertions say more about a token that is valid elsewhere: see docs/assertions.md. */
const TAKE_ANY_BEARER = new Set(['createAssertion', 'validateAssertion']);

/** All credentials that an operation must refuse. */
function casesOf(operation: Operation, request: ValidRequest): Case[] {
  const alternatives = alternativesOf(operation);
  const cases: Case[] = [];
  const isTaken = (credentials: Credentials) =>
    alternatives.some(
      (one) => one.length === Object.keys(credentials).length && one.every((scheme) => scheme in credentials),
    );
  const accepts = (scheme: SchemeName) => alternatives.some((one) => one.includes(scheme));

  if (isTaken({ gameKey: '' }) && isTaken({ gameKey: '', player: '' }))
    cases.push({
      fault: 'gameKey that requires a player',
      headers: credentialHeaders({ gameKey: keyOfPlayers }),
      refusal: refuse(401, 'missing_bearer'),
    });
  for (const alternative of alternatives) {
    const good = pickCredentials(request, alternative);
    for (const scheme of alternative) {
      const add = (fault: string, value: string | undefined, refusal: Refusal) => {
        const { [scheme]: _, ...rest } = good;
        if (value === undefined && isTaken(rest)) return;
        const headers = credentialHeaders(value === undefined ? rest : { ...rest, [scheme]: value });
        cases.push({ fault: `${alternative.join(' and ')}: ${scheme} ${fault}`, headers, refusal });
      };
      if (isKey(scheme)) addKeyCases(operation, scheme, add, accepts);
      else addBearerCases(operation, alternative, scheme, good[scheme]!, add);
    }
    cases.push(...pairCases(operation, alternative, good));
  }
  cases.push(...scopeCases(operation, request));
  return cases;
}

const knownForgeries = new Map<string, Record<string, string>>();

function forgeriesOf(token: string): Record<string, string> {
  const forgeries = knownForgeries.get(token) ?? forger.forgeries(token);
  knownForgeries.set(token, forgeries);
  return forgeries;
}

type AddCase = (fault: string, value: string | undefined, refusal: Refusal) => void;

function addKeyCases(
  operation: Operation,
  scheme: 'gameKey' | 'apiKey',
  add: AddCase,
  accepts: (scheme: SchemeName) => boolean,
): void {
  const name = scheme === 'gameKey' ? 'game_key' : 'api_key';
  const invalid = refuse(401, `invalid_${name}`);
  // Without any credential, the bearer is asked for first.
  const isFirst = !accepts('account') && !(scheme === 'gameKey' && accepts('walletPlayer'));
  const missing = scheme === 'apiKey' && accepts('gameKey') ? 'missing_game_key' : `missing_${name}`;
  if (isFirst || scheme === 'gameKey') add('missing', undefined, refuse(401, missing));
  const real = anyOf[scheme];
  const malformed = {
    'not a key': 'x',
    'with a wrong checksum': real.slice(0, -1) + (real.endsWith('0') ? '1' : '0'),
    truncated: real.slice(0, -8),
    'in upper case': real.toUpperCase(),
    'with SQL': `${real}' OR '1'='1`,
    'of 8 KiB': 'x'.repeat(8192),
    unknown: newOpaqueToken(kindOf[scheme]),
  };
  for (const [fault, value] of Object.entries({ ...malformed, ...ended[scheme] })) add(fault, value, invalid);
  for (const [kind, value] of Object.entries(anyOf)) if (kind !== scheme) add(`is a ${kind}`, value, invalid);
  if (scheme === 'apiKey' && operation.path.includes('{tenantId}'))
    add('of another tenant', strangers.apiKey, refuse(404, 'not_found'));
}

function addBearerCases(
  operation: Operation,
  alternative: SchemeName[],
  scheme: SchemeName,
  real: string,
  add: AddCase,
): void {
  const invalid = refuse(401, 'invalid_bearer');
  const takesAny = TAKE_ANY_BEARER.has(operation.operationId);
  if (scheme === 'metricsToken') {
    for (const value of [undefined, 'x', 'm'.repeat(31), ...Object.values(strangers)])
      add('wrong', value, refuse(401, value === undefined ? 'missing_bearer' : 'invalid_bearer'));
    return;
  }
  const keyComesFirst =
    !alternative.includes('gameKey') && alternativesOf(operation).flat().includes('gameKey');
  if (!(keyComesFirst && scheme === 'walletPlayer')) add('missing', undefined, refuse(401, 'missing_bearer'));
  add('empty', '', refuse(401, 'missing_bearer'));
  add('with a space', `${real} x`, refuse(401, 'missing_bearer'));
  add('not a token', 'x', invalid);
  if (real.startsWith('ey')) {
    const seconds = Math.floor(Date.now() / 1000);
    add('truncated', real.slice(0, -3), invalid);
    add('expired', forger.forge(real, { iat: seconds - 7300, exp: seconds - 1 }), invalid);
    const forgeries = forgeriesOf(real);
    add('with alg none', forgeries['alg none'], invalid);
    add('signed by another key', forgeries['another key'], invalid);
    add('of another issuer', forger.forge(real, { iss: 'https://evil.example' }), invalid);
  }
  const taken = alternativesOf(operation).flat();
  for (const [kind, value] of Object.entries(anyOf) as [SchemeName, string][]) {
    if (kind === scheme || (taken.includes(kind) && !isKey(kind))) continue;
    const isToken = !isKey(kind) && kind !== 'metricsToken';
    // An opaque token says no kind that the bearer may learn.
    const isKnownKind = takesAny && isToken && kind !== 'thirdParty';
    add(`is a ${kind}`, value, isKnownKind ? refuse(403, 'wrong_token_scope') : invalid);
  }
  add('is a refresh token', refreshToken.refreshToken, invalid);
  if (alternative.includes('gameKey')) {
    const other = strangers[scheme];
    const unknown = scheme === 'thirdParty' ? refuse(401, 'invalid_refresh_token') : invalid;
    add(
      'of another tenant',
      other,
      takesAny && scheme !== 'thirdParty' ? refuse(403, 'tenant_mismatch') : unknown,
    );
    if (scheme === 'player')
      add('of the portal', portalToken, takesAny ? refuse(403, 'wrong_token_scope') : invalid);
  }
  if (scheme === 'account') add('of an ended session', endedAccount, invalid);
  const isPlatform = real === world.platformAdmin.bearer;
  if (scheme === 'account' && !isPlatform && /\{(tenantId|workspaceId)\}/.test(operation.path))
    add('of another workspace', strangers.account, refuse(404, 'not_found'));
}

/** Two credentials at once, both valid. */
function pairCases(operation: Operation, alternative: SchemeName[], good: Credentials): Case[] {
  const headers = credentialHeaders(good);
  const cases: Case[] = [];
  for (const scheme of alternative) {
    if (scheme === 'metricsToken') continue;
    const [[name, value]] = Object.entries(credentialHeaders({ [scheme]: good[scheme]! })) as [
      [string, string],
    ];
    const [second] = Object.values(credentialHeaders({ [scheme]: strangers[scheme] })) as [string];
    const code = isKey(scheme) ? `invalid_${scheme === 'gameKey' ? 'game' : 'api'}_key` : 'missing_bearer';
    for (const pair of [
      [value, second],
      [second, value],
    ])
      cases.push({
        fault: `${scheme} twice`,
        headers: { ...headers, [name]: pair },
        refusal: refuse(401, code),
      });
  }
  const taken = alternativesOf(operation).flat();
  const conflict = refuse(400, 'conflicting_credentials');
  if (taken.includes('apiKey') && (taken.includes('gameKey') || taken.includes('account'))) {
    const both = credentialHeaders({
      apiKey: anyOf.apiKey,
      ...(taken.includes('gameKey') ? { gameKey: anyOf.gameKey } : { account: anyOf.account }),
    });
    cases.push({ fault: 'two credentials', headers: both, refusal: conflict });
  }
  if (TAKE_ANY_BEARER.has(operation.operationId))
    cases.push({
      fault: 'an API key besides',
      headers: { ...headers, 'x-api-key': anyOf.apiKey },
      refusal: refuse(401, 'api_key_not_allowed'),
    });
  return cases;
}

/** Callers who are known, and may do less. */
function scopeCases(operation: Operation, request: ValidRequest): Case[] {
  const { 'x-required-role': role, path } = operation;
  const cases: Case[] = [];
  const forbidden = refuse(403, 'forbidden');
  const byAccount = (fault: string, account: string) =>
    cases.push({ fault, headers: credentialHeaders({ account }), refusal: forbidden });
  if (role === 'admin' || role === 'owner') byAccount('account of a viewer', members.viewer.bearer);
  if (role === 'owner') byAccount('account of an admin', members.admin.bearer);
  if (request.credentials.account === world.platformAdmin.bearer)
    byAccount('account that is no platform admin', studio.owner.bearer);
  if (alternativesOf(operation).some((one) => one.includes('apiKey')))
    cases.push({
      fault: `API key without allowDataApi for ${path}`,
      headers: { 'x-api-key': keyWithoutData },
      refusal: refuse(403, 'data_api_not_allowed'),
    });
  return cases;
}

/** Sends a header more than once if it has several values. `fetch` would join them. */
function send(operation: Operation, request: ValidRequest, headers: Case['headers']) {
  const isRepeated = Object.values(headers).some(Array.isArray);
  if (!isRepeated) return sendRequest(world, operation, request, headers as Record<string, string>);
  return new Promise<{ status: number; text: string; body: Partial<Refusal> }>((resolve, reject) => {
    const sent = httpRequest(
      app.url + addressOf(operation, request),
      { method: operation.method, headers: { 'x-forwarded-for': someNetwork(), ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        const status = response.statusCode!;
        // A stream that was opened by mistake does not end.
        if (status < 300) return resolve({ status, text: 'accepted', body: {} });
        response.on('end', () => resolve({ status, text, body: JSON.parse(text) as Partial<Refusal> }));
      },
    );
    sent.on('error', reject).end();
  });
}

let sentCases = 0;
after(() => console.log(`${sentCases} requests with wrong credentials, ${operations.length} operations`));

describe('wrong credentials', () => {
  for (const operation of operations) {
    const { operationId } = operation;
    test(`${operationId} refuses every wrong credential with its documented code`, async () => {
      const request = await requests.make(operation, studio);
      const cases = casesOf(operation, request);
      if (alternativesOf(operation)[0]!.length > 0) assert.ok(cases.length >= 8, `${cases.length} cases`);
      const wrong: string[] = [];
      for (const { fault, headers, refusal } of cases) {
        sentCases++;
        const { status, body } = await send(operation, request, headers);
        if (status !== refusal.status || body?.code !== refusal.code)
          wrong.push(
            `${fault}: ${status} ${body?.code ?? 'accepted'}, not ${refusal.status} ${refusal.code}`,
          );
      }
      assert.deepEqual(wrong, []);
      const { status, text } = await sendRequest(world, operation, request);
      assert.ok(status < 300, `the right credential is accepted after all refusals: ${text}`);
    });
  }
});

/** Members of a body that prove who the caller is, and the operations that set them instead. */
const PROOFS = [
  'token',
  'refreshToken',
  'code',
  'password',
  'signature',
  'response',
  'jwt',
  'mfaToken',
  'callbackUrl',
].concat('signInPassword', 'currentPassword', 'sourceAuthToken');
const SETS_PROOF = new Set(
  'createPlayer signUpPlayer signUpAccount createAnonymousWalletPlayer linkAuthMethod acceptInvitation.password'.split(
    ' ',
  ),
);

/** Proofs that are valid more than once, by member or by operation and member, and why. */
const LASTING: Record<string, string> = {
  password: 'a password stays valid',
  signInPassword: 'a password stays valid',
  currentPassword: 'a password stays valid',
  jwt: 'the issuer decides how long its token is valid',
  'logInPlayer.token': 'Mock has a password',
  'mergeProfile.sourceAuthToken': 'Mock has a password',
  'getInvitation.token': 'a reader may look twice',
  'logOutAccount.refreshToken': 'to end an ended session changes nothing',
  'logOutOfPortal.refreshToken': 'to end an ended session changes nothing',
};

/** Proofs that are valid once, and have no time in the database. */
const WITHOUT_END: Record<string, string> = {
  'confirmAccountTotp.code': 'the clock decides',
  'disableAccountTotp.code': 'the clock decides',
};

const isIn = (exceptions: Record<string, string>, operationId: string, proof: string) =>
  proof in exceptions || `${operationId}.${proof}` in exceptions;

const proofsOf = ({ operationId }: Operation, { body }: ValidRequest): string[] =>
  body === null || typeof body !== 'object' || body instanceof FormData
    ? []
    : Object.keys(body).filter(
        (name) =>
          PROOFS.includes(name) && !SETS_PROOF.has(operationId) && !SETS_PROOF.has(`${operationId}.${name}`),
      );

/** Lets everything expire that expires, besides keys. */
async function expireAll(): Promise<void> {
  const { rows } = await app.owner.query<{ table: string }>(
    `SELECT table_name AS table FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'expires_at' AND table_name <> 'tenant_keys'`,
  );
  assert.ok(rows.length > 8, `${rows.length} tables`);
  for (const { table } of rows)
    await app.owner.query(`UPDATE ${table} SET expires_at = now() - interval '1 second'`);
}

describe('wrong proofs in bodies', async () => {
  // The last operations ended the work of the first studio.
  const studio = await arrangeStudio(world);
  const isRefusal = (status: number) => status >= 400 && status < 500;
  const found = new Set<string>();
  after(() => assert.ok(found.size >= 25, `proofs are found: ${[...found].join(', ')}`));

  for (const operation of operations.filter(({ requestBody }) => requestBody)) {
    const { operationId } = operation;
    test(`${operationId} refuses a proof that is malformed, of another kind, expired or used`, async () => {
      const make = () => requests.make(operation, studio);
      for (const proof of proofsOf(operation, await make())) {
        found.add(`${operationId}.${proof}`);
        const wrong: string[] = [];
        const send = async (fault: string, request: ValidRequest, value?: unknown) => {
          sentCases++;
          const body = { ...(request.body as object), ...(value !== undefined && { [proof]: value }) };
          const { status } = await sendRequest(world, operation, { ...request, headers: {}, body });
          if (!isRefusal(status)) wrong.push(`${proof} ${fault}: ${status}`);
        };
        const values = { ...anyOf, ...refreshToken, empty: '', number: 5, text: 'x', NUL: 'x\0', list: [] };
        const request = await make();
        for (const [kind, value] of Object.entries(values)) await send(`is ${kind}`, request, value);
        if (!isIn(LASTING, operationId, proof)) {
          const used = await make();
          const { status, text } = await sendRequest(world, operation, used);
          assert.ok(status < 300, text);
          await send('that was used', used);
        }
        if (!isIn({ ...LASTING, ...WITHOUT_END }, operationId, proof)) {
          const expired = await make();
          await expireAll();
          await send('that expired', expired);
        }
        assert.deepEqual(wrong, []);
      }
    });
  }
});
