import assert from 'node:assert/strict';
import fc from 'fast-check';
import { arrangePlayer } from '../../src/testing/arrange.ts';
import { someNetwork } from '../../src/testing/email-player.ts';
import type { Answer } from '../../src/testing/http-client.ts';
import { arrangeWalletPlayer } from '../../src/testing/wallet-recording.ts';
import { alternativesOf, type SchemeName } from '../valid-request.ts';
import {
  arrangeStudio,
  OWNER_PASSWORD,
  someText,
  type Operation,
  type Schema,
  type Studio,
  type World,
} from '../world.ts';
import { faultOf, validatorOf } from './answers.ts';
import { bodySchemaOf } from './invalid-requests.ts';
import { byRules } from './valid-requests.ts';
import { valuesOf, type ByName } from './values.ts';
import { describeExchange, wireRequestOf, type Send, type WireRequest } from './wire-request.ts';

/** The tags of operations that work on the same things. */
export const THEMES: Record<string, string[]> = {
  'players who sign in and out': [
    'Player sign-in',
    'Assertions',
    'Player devices',
    'Sessions',
    'Tenant players',
  ],
  profiles: ['Player profile', 'Profile lookup', 'Player sign-in', 'Player portal', 'Tenant players'],
  'matches and events': ['Matches', 'Gameplay events', 'Event definitions', 'Player sign-in'],
  'wallet players': ['Wallet recording'],
  'tenants and their keys': ['Tenants', 'Workspaces', 'Usage', 'Profile lookup', 'Player sign-in'],
  accounts: ['Accounts', 'Workspaces', 'Notifications'],
  'webhooks and alerts': ['Webhooks', 'Alerts', 'Notifications', 'Tenants'],
};

const MOST_STEPS = 30;

/** Stands for a value that an earlier answer contained, or for another valid value if there was none. */
class Reference {
  readonly pool: string;
  readonly pick: number;
  readonly schema: Schema;
  readonly otherwise: unknown;

  constructor(pool: string, pick: number, schema: Schema, otherwise: unknown) {
    this.pool = pool;
    this.pick = pick;
    this.schema = schema;
    this.otherwise = otherwise;
  }
}

/** Values of the studio by the name under which requests refer to them, newest last. */
type Pools = Map<string, unknown[]>;

const MOST_VALUES = 12;

function remember(pools: Pools, name: string, value: unknown): void {
  const known = (pools.get(name) ?? []).filter((item) => item !== value);
  pools.set(name, [...known, value].slice(-MOST_VALUES));
}

/** One request of a sequence. */
interface Step {
  operation: Operation;
  credentials: SchemeName[];
  /** Which token of each credential. */
  pick: number;
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

/** Names that many requests and answers share. */
const SHARED =
  /^(playerId|sessionId|loginSessionId|deviceId|matchSessionId|matchPlayerId|eventDefinitionId|eventKey|sourceProfileId|challengeId|playerIndex|transactionHash|tenantId|workspaceId|subscriberWorkspaceId|address|playerAddress|assertionToken|mfaToken|idempotencyKey)$/;

/** Names whose values have another name in answers. */
const SYNONYMS: Record<string, string> = {
  loginSessionId: 'sessionId',
  sourceProfileId: 'playerId',
  subscriberWorkspaceId: 'workspaceId',
  playerAddress: 'address',
  currentPassword: 'password',
  newPassword: 'password',
  signInPassword: 'password',
  sourceAuthToken: 'mockToken',
};

/** Which tokens a path issues and takes: those of players, of the portal, of accounts or of wallet players. */
const familyOf = (path: string) => path.split('/')[2];

function poolOf(operation: Operation, name: string): string | undefined {
  if (name === 'token')
    return bodySchemaOf(operation)?.['properties']?.['provider'] ? 'mockToken' : undefined;
  if (name === 'accessToken' || name === 'refreshToken') return `${name} ${familyOf(operation.path)}`;
  if (name in SYNONYMS) return SYNONYMS[name];
  return SHARED.test(name) || name === 'email' || name === 'password' ? name : undefined;
}

/** The tokens of each credential. */
const CREDENTIAL_POOLS: Record<SchemeName, string> = {
  gameKey: 'gameKey',
  apiKey: 'apiKey',
  player: 'accessToken player-auth',
  account: 'accessToken saas-auth',
  walletPlayer: 'accessToken Auth',
  thirdParty: 'refreshToken player-auth',
  assertion: 'assertionToken',
  metricsToken: 'metricsToken',
};

function stepsOf(operation: Operation): fc.Arbitrary<Step> {
  const references: ByName = (name, schema) => {
    if (name === 'provider')
      return fc.oneof(
        { weight: 9, arbitrary: fc.constant('Mock') },
        { weight: 1, arbitrary: valuesOf(schema) },
      );
    const pool = poolOf(operation, name);
    if (!pool) return byRules(name, schema);
    return fc
      .tuple(fc.nat({ max: MOST_VALUES }), valuesOf(schema))
      .map(([pick, otherwise]) => new Reference(pool, pick, schema, otherwise));
  };
  const parameters = (place: 'path' | 'query') =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  const path = parameters('path').map(({ name, schema }) => [
    name,
    fc
      .tuple(fc.nat({ max: MOST_VALUES }), valuesOf(schema))
      .map(([pick, otherwise]) => new Reference(name, pick, schema, otherwise)),
  ]);
  const query: Schema = {
    type: 'object',
    properties: Object.fromEntries(parameters('query').map(({ name, schema }) => [name, schema])),
    required: parameters('query')
      .filter(({ required }) => required)
      .map(({ name }) => name),
  };
  const body = bodySchemaOf(operation);
  return fc.record({
    operation: fc.constant(operation),
    credentials: fc.constantFrom(...alternativesOf(operation)),
    pick: fc.nat({ max: MOST_VALUES }),
    path: fc.record(Object.fromEntries(path)),
    query: valuesOf(query, references) as fc.Arbitrary<Record<string, unknown>>,
    body: body ? valuesOf(body, references) : fc.constant(undefined),
  });
}

/** The operations of a theme, without those of the deployment and those that read a form. */
export function operationsOfTheme(operations: Operation[], tags: string[]): Operation[] {
  return operations.filter(
    ({ tags: own, path, operationId, requestBody }) =>
      own.some((tag) => tags.includes(tag)) &&
      !path.startsWith('/api/admin/') &&
      operationId !== 'streamNotifications' &&
      !requestBody?.content['multipart/form-data'],
  );
}

/** Sequences of requests of these operations. */
export function sequencesOf(operations: Operation[]): fc.Arbitrary<Step[]> {
  return fc
    .array(fc.oneof(...operations.map(stepsOf)), { minLength: 5, maxLength: MOST_STEPS, size: 'max' })
    .map((steps) =>
      Object.assign(steps, {
        // Otherwise a failure prints the schemas of all operations.
        [fc.toStringMethod]: () => steps.map(({ operation }) => operation.operationId).join(', '),
      }),
    );
}

/** Replaces the references in a value. */
function resolve(value: unknown, pools: Pools): unknown {
  if (value instanceof Reference) {
    const isValid = validatorOf(value.schema);
    const known = (pools.get(value.pool) ?? []).filter((item) => isValid(item));
    // Mostly one of the newest.
    return known.length === 0 ? value.otherwise : known.at(-1 - (value.pick % known.length));
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, pools));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(item, pools)]));
}

function requestOf({ credentials, pick, path, query, body }: Step, pools: Pools): WireRequest {
  const texts = (values: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(resolve(values, pools) as Record<string, unknown>)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    );
  const known = credentials.map((scheme) => {
    const values = pools.get(CREDENTIAL_POOLS[scheme]) ?? ['none'];
    return [scheme, String(values.at(-1 - (pick % values.length)))];
  });
  return wireRequestOf(
    {
      path: texts(path),
      query: texts(query),
      headers: {},
      body: resolve(body, pools),
      credentials: Object.fromEntries(known),
    },
    credentials,
  );
}

/** Collects the values of an answer to which later requests can refer. */
function collect(operation: Operation, itemNames: Map<string, string>, body: unknown, pools: Pools): void {
  if (Array.isArray(body))
    return body.slice(0, MOST_VALUES).forEach((item) => collect(operation, itemNames, item, pools));
  if (body === null || typeof body !== 'object') return;
  const itemName = itemNames.get(operation.path);
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === 'object') collect(operation, itemNames, value, pools);
    else if (name === 'id' && itemName) remember(pools, itemName, value);
    else if (name === 'key' && operation.path.includes('-keys'))
      remember(pools, operation.path.includes('api-keys') ? 'apiKey' : 'gameKey', value);
    else remember(pools, poolOf(operation, name) ?? name, value);
  }
}

/** Which parameter the ids in the answers of a path are: those of `/webhooks` are `webhookId`. */
export function itemNamesOf(operations: Operation[]): Map<string, string> {
  return new Map(
    operations.flatMap(({ path }) => {
      const [, list, name] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
      return list && name ? [[list, name] as const] : [];
    }),
  );
}

async function arrangePools(world: World, studio: Studio, neighbour: Studio): Promise<Pools> {
  const { tenant, owner } = studio;
  const walletPlayer = await arrangeWalletPlayer(world.app, tenant);
  const names = [someText(), someText()];
  const pools: Pools = new Map<string, unknown[]>([
    ['tenantId', [neighbour.tenant.tenantId, tenant.tenantId, tenant.tenantId, tenant.tenantId]],
    [
      'workspaceId',
      [neighbour.tenant.workspaceId, tenant.workspaceId, tenant.workspaceId, tenant.workspaceId],
    ],
    ['gameKey', [tenant.gameKey]],
    ['apiKey', [tenant.apiKey]],
    ['accessToken saas-auth', [owner.bearer]],
    ['accessToken Auth', [walletPlayer.bearer]],
    ['email', [owner.email, ...names.map((name) => `${name}@example.com`)]],
    ['password', [OWNER_PASSWORD, 'another good password']],
    ['mockToken', names.map((name) => `mock:${name}:secret`)],
    ['providerUserId', names],
  ]);
  for (const name of names) {
    const { accessToken, refreshToken, playerId, sessionId } = await arrangePlayer(world.app, tenant, name);
    remember(pools, 'accessToken player-auth', accessToken);
    remember(pools, 'refreshToken player-auth', refreshToken);
    remember(pools, 'playerId', playerId);
    remember(pools, 'sessionId', sessionId);
  }
  return pools;
}

/** What happened in all sequences. */
export interface SequenceCounts {
  steps: number;
  accepted: number;
  /** The operations that were accepted at least once. */
  reached: Set<string>;
}

/** Sends the requests of a sequence in a new studio. Then another studio must still work. */
export async function runSequence(
  world: World,
  send: Send,
  steps: Step[],
  {
    bystander,
    itemNames,
    counts,
  }: { bystander: Studio; itemNames: Map<string, string>; counts: SequenceCounts },
): Promise<void> {
  const studio = await arrangeStudio(world);
  const pools = await arrangePools(world, studio, bystander);
  const used = new Set<unknown>();
  for (const step of steps) {
    const { operation } = step;
    const request = requestOf(step, pools);
    const answer = await send(operation, request);
    counts.steps++;
    const fault = faultOf(operation, answer) ?? reuseOf(operation, request, answer, used);
    assert.equal(fault, undefined, `${fault}\n${describeExchange(operation, request, answer)}`);
    if (answer.status >= 300) continue;
    counts.accepted++;
    counts.reached.add(operation.operationId);
    collect(operation, itemNames, answer.body, pools);
  }
  await requireWorks(world, bystander);
}

/** A refresh token is accepted once. */
function reuseOf(
  { path }: Operation,
  { body }: WireRequest,
  { status }: Answer,
  used: Set<unknown>,
): string | undefined {
  if (!path.endsWith('/refresh') || status !== 200) return undefined;
  const { refreshToken } = JSON.parse(body as string) as { refreshToken: string };
  if (used.has(refreshToken)) return 'the refresh token was accepted twice';
  used.add(refreshToken);
  return undefined;
}

/** A player of a studio that no sequence changes can sign in, and read the own profile. */
async function requireWorks({ app: { http } }: World, { tenant }: Studio): Promise<void> {
  const caller = { gameKey: tenant.gameKey, headers: { 'x-forwarded-for': someNetwork() } };
  const token = `mock:${someText()}:secret`;
  const login = await http.post('/api/player-auth/login', { provider: 'Mock', token }, caller);
  assert.equal(login.status, 200, login.text);
  const profile = await http.get('/api/player-profile/me', { bearer: login.body.accessToken });
  assert.equal(profile.status, 200, profile.text);
}
