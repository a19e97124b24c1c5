import { createAdminClient, type AccountUser, type Notification } from '../src/admin.ts';
import {
  createEventQueue,
  createPlayerClient,
  memoryStorage,
  type Answer,
  type AuthMethodCredential,
  type Body,
  type IdentityProof,
} from '../src/index.ts';
import { createServerClient } from '../src/server.ts';
import type { WebhookData, WebhookEvent } from '../src/webhooks.ts';

/** Tests of types: `npm run check` fails if one of these lines has another type, or accepts what it must refuse. */
type Equal<One, Other> = [One, Other] extends [Other, One] ? true : false;
declare function assertType<Holds extends true>(holds: Holds): Holds;

const admin = createAdminClient({ baseUrl: '' });
const game = createPlayerClient({ baseUrl: '', gameKey: '' });
const server = createServerClient({ baseUrl: '', gameKey: '' });
const events = createEventQueue(game, { storage: memoryStorage() });
const workspaceId = '';

export async function answersAreTyped(): Promise<void> {
  const workspace = await admin.api.GET('/api/workspaces/{workspaceId}', {
    params: { path: { workspaceId } },
  });
  assertType<Equal<typeof workspace.name, string>>(true);
  const { user } = await admin.api.GET('/api/saas-auth/me');
  assertType<Equal<typeof user, AccountUser>>(true);
  const { items } = await admin.api.GET('/api/notifications', { params: { query: { unreadOnly: true } } });
  assertType<Equal<(typeof items)[number], Notification>>(true);
  const nothing = await admin.api.DELETE('/api/saas-auth/sessions/{sessionId}', {
    params: { path: { sessionId: '' } },
  });
  assertType<Equal<typeof nothing, undefined>>(true);
  const stream = await admin.api.GET('/api/bus_tenants/{tenantId}/events/export', {
    params: { path: { tenantId: '' }, query: { scope: 'match' } },
    readAs: 'response',
  });
  assertType<Equal<typeof stream, Response>>(true);
  const read = await admin.api.GET('/api/saas-auth/me', { readAs: undefined });
  assertType<Equal<typeof read.user, AccountUser>>(true);
  const login = await game.signIn.withProvider({ provider: 'Mock', token: '' });
  assertType<Equal<typeof login.playerId, string>>(true);
  assertType<
    Equal<typeof game.session.current, { playerId: string; tenantId: string; sessionId: string } | undefined>
  >(true);
  const token = await game.session.accessToken();
  assertType<Equal<typeof token, string | undefined>>(true);
  const match = await server.matches.create({ players: [{ playerId: '' }] });
  assertType<Equal<typeof match.matchSessionId, string>>(true);
}

export async function exactIntegers(): Promise<void> {
  type StoredEvent = Answer<'/api/bus_tenants/{tenantId}/events', 'get'>['items'][number];
  assertType<Equal<StoredEvent['value'], number | bigint | null>>(true);
  type Score = Body<'/api/BlockchainStorage/players/set/score', 'post'>['newScore'];
  assertType<Equal<Score, number | bigint>>(true);
}

export async function credentialsDependOnTheProvider(): Promise<void> {
  type LinkBody = Body<'/api/player-profile/me/auth-methods', 'post'>;
  assertType<Equal<AuthMethodCredential['provider'], LinkBody['provider']>>(true);
  const { linkAuthMethod, merge } = game.profile;
  await linkAuthMethod({ provider: 'Mock', token: '', setAsPrimary: true });
  await linkAuthMethod({ provider: 'EvmWallet', message: '', signature: '' });
  await linkAuthMethod({ provider: 'EmailOneTimeCode', email: '', code: '' });
  // @ts-expect-error -- a code needs its email address
  await linkAuthMethod({ provider: 'EmailOneTimeCode', token: '' });
  // @ts-expect-error -- a wallet has no token
  await linkAuthMethod({ provider: 'EvmWallet', token: '' });
  // @ts-expect-error -- the token is missing
  await linkAuthMethod({ provider: 'StoreB' });

  const sourceProof: IdentityProof = { provider: 'StoreA', token: '' };
  await merge({ sourceProfileId: '', sourceProvider: 'Mock', sourceAuthToken: '' });
  await merge({ sourceProfileId: '', sourceProvider: 'Mock', sourceAuthToken: '', sourceProof });
  await merge({ sourceProfileId: '', sourceProof });
  // @ts-expect-error -- a merge needs a token or a proof
  await merge({ sourceProfileId: '' });
  // @ts-expect-error -- a provider needs its token
  await merge({ sourceProfileId: '', sourceProvider: 'Mock', sourceProof });
  // @ts-expect-error -- a token needs its provider
  await merge({ sourceProfileId: '', sourceAuthToken: '', sourceProof });
}

export function webhookEventsAreTyped(event: WebhookEvent): void {
  if (event.type === 'usage.warning') assertType<Equal<typeof event.data.percent, number>>(true);
  if (event.type === 'webhook.test')
    assertType<Equal<typeof event.data.workspaceId, string | undefined>>(true);
  type Alert = WebhookData['alert.rate_spike' | 'alert.payload_spike'];
  assertType<Equal<Alert['keyKind'], 'game' | 'api'>>(true);
  assertType<Equal<WebhookEvent<'usage.warning'>['id'], string>>(true);
}

/** `tsconfig.strict.json` checks this file with `exactOptionalPropertyTypes`, as some games do. */
export async function optionalMembersMayBeUndefined(missing: undefined): Promise<void> {
  createServerClient({ baseUrl: '', gameKey: '', apiKey: missing, retries: { attempts: missing } });
  createPlayerClient({ baseUrl: '', gameKey: '', storage: missing, storageKey: missing, fetch: missing });
  createEventQueue(game, { storage: memoryStorage(), batchEvents: missing, onDropped: missing });
  await events.addPlayerEvent({ eventKey: '', eventValue: missing, value: missing, occurredAt: missing });
  await server.matches.create({ players: [], mode: missing }, { idempotencyKey: missing });
  await game.signIn.withCode({ email: '', code: '', clientInfo: missing });
  await admin.api.GET('/api/notifications', { params: { query: { unreadOnly: missing } }, signal: missing });
}

export async function wrongCallsAreRefused(): Promise<void> {
  // @ts-expect-error -- no operation has this path
  await admin.api.GET('/api/nothing');
  // @ts-expect-error -- the path has no such method
  await admin.api.DELETE('/api/saas-auth/me');
  // @ts-expect-error -- the path needs a value
  await admin.api.GET('/api/workspaces/{workspaceId}');
  // @ts-expect-error -- the query has no such member
  await admin.api.GET('/api/notifications', { params: { query: { unread: true } } });
  // @ts-expect-error -- the body is missing
  await admin.api.POST('/api/saas-auth/login', {});
  // @ts-expect-error -- the password is a text
  await admin.api.POST('/api/saas-auth/login', { body: { email: '', password: 5 } });
  // @ts-expect-error -- no provider has this name
  await game.signIn.withProvider({ provider: 'Steam', token: '' });
  // @ts-expect-error -- the token of an account may change everything of its studio
  await admin.session.accessToken();
  // @ts-expect-error -- a queue continues after one call was ended
  createEventQueue(game.with({ signal: AbortSignal.timeout(1) }), { storage: memoryStorage() });
  // @ts-expect-error -- an event of a game server has a name
  await server.sendPlayerEvents('', [{ playerId: '', eventKey: '', occurredAt: new Date() }]);
  // @ts-expect-error -- an event has a key or the id of a definition
  await events.addPlayerEvent({ value: 5 });
}
