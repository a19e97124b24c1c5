import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { KeyKind } from '../core/callers.ts';
import { newOpaqueToken, visiblePrefix } from '../security/opaque-tokens.ts';
import { openDatabase } from '../database/database.ts';
import { openTokenSigner, type TokenSigner } from '../features/platform/signing-keys/index.ts';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';

/** A tenant with a game key, an API key, and the provider Mock. */
export interface TestTenant {
  workspaceId: string;
  tenantId: string;
  gameKey: string;
  apiKey: string;
}

interface TenantOptions {
  workspaceId?: string;
  providers?: string[];
  /** Whether events create their definitions. */
  autoCreate?: boolean;
}

/** Inserts a tenant directly into the database, for tests of other features. */
export async function arrangeTenant(
  { owner }: Pick<TestApp, 'owner'>,
  { workspaceId = randomUUID(), providers = ['Mock'], autoCreate = false }: TenantOptions = {},
): Promise<TestTenant> {
  const tenantId = randomUUID();
  const slug = randomBytes(6).toString('hex');
  await owner.query('INSERT INTO workspaces (id, name, slug) VALUES ($1, $2, $2) ON CONFLICT DO NOTHING', [
    workspaceId,
    slug,
  ]);
  await owner.query(
    'INSERT INTO tenants (id, workspace_id, name, slug, auto_create_definitions) VALUES ($1, $2, $3, $3, $4)',
    [tenantId, workspaceId, slug, autoCreate],
  );
  for (const provider of providers) {
    await owner.query('INSERT INTO provider_settings (tenant_id, provider, enabled) VALUES ($1, $2, true)', [
      tenantId,
      provider,
    ]);
  }
  const gameKey = await insertKey(owner, tenantId, 'game');
  const apiKey = await insertKey(owner, tenantId, 'api');
  return { workspaceId, tenantId, gameKey, apiKey };
}

async function insertKey(
  owner: TestApp['owner'],
  tenantId: string,
  kind: KeyKind,
  { allowDataApi = true } = {},
): Promise<string> {
  const key = newOpaqueToken(kind);
  await owner.query(
    `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, allow_data_api)
     VALUES ($1, $2, $3, 'test', $4, $5, $6)`,
    [randomUUID(), tenantId, kind, visiblePrefix(key), vault.fingerprint(key), allowDataApi],
  );
  return key;
}

/** Enables a sign-in provider of a tenant through the console API. */
export async function arrangeProvider(app: TestApp, tenant: TestTenant, provider: string, settings: object) {
  const path = `/api/bus_tenants/${tenant.tenantId}/providers/${provider}`;
  const admin = await arrangeAccount(app, tenant, 'admin');
  const answer = await app.http.put(path, { enabled: true, settings }, admin);
  if (answer.status !== 200) throw new Error(`${provider} could not be enabled: ${answer.text}`);
}

/** Creates a client for tests of players who sign in with Mock, by default to `tenant`. */
export const mockClient = ({ http }: Pick<TestApp, 'http'>, tenant: TestTenant) => ({
  logIn: (username: string, { gameKey } = tenant, more: object = {}) =>
    http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${username}:secret`, ...more },
      { gameKey },
    ),
  refresh: (refreshToken: string, { gameKey } = tenant) =>
    http.post('/api/player-auth/refresh', { refreshToken }, { gameKey }),
});

/** Signs a player in with Mock and returns the login result. */
export async function arrangePlayer(
  app: TestApp,
  tenant: TestTenant,
  username = randomBytes(6).toString('hex'),
) {
  const login = await mockClient(app, tenant).logIn(username);
  if (login.status !== 200) throw new Error(`The test player could not sign in: ${login.text}`);
  const { accessToken, refreshToken, playerId, sessionId } = login.body;
  return {
    username,
    accessToken,
    refreshToken,
    playerId,
    sessionId,
    caller: { gameKey: tenant.gameKey, bearer: accessToken },
  };
}

/** Returns a random account id of StoreA. */
export const someStoreAAccount = () => `7656119${randomInt(10 ** 9, 10 ** 10)}`;

/** Inserts a player with a linked StoreA account. */
export async function arrangeStoreAPlayer({ owner }: Pick<TestApp, 'owner'>, { isActive = true } = {}) {
  const [playerId, accountId] = [randomUUID(), someStoreAAccount()];
  await owner.query('INSERT INTO players (id, is_active, created_at) VALUES ($1, $2, now())', [
    playerId,
    isActive,
  ]);
  await owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, is_primary, linked_at)
     VALUES ($1, $2, 'StoreA', $3, true, now())`,
    [randomUUID(), playerId, accountId],
  );
  return { playerId, accountId };
}

/** The hash of a password that nobody knows. */
const SOME_PASSWORD_HASH = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

type AccountApp = Pick<TestApp, 'owner' | 'databaseUrl' | 'issuer'>;

/** Inserts a console account with a role in the tenant's workspace (or none), and returns it as a caller. */
export async function arrangeAccount(
  app: AccountApp,
  tenant: TestTenant,
  role?: 'owner' | 'admin' | 'viewer',
) {
  const account = await insertAccount(app);
  if (role) {
    await app.owner.query('INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, $3)', [
      tenant.workspaceId,
      account.accountId,
      role,
    ]);
  }
  return account;
}

/** Inserts a platform admin, and returns it as a caller. */
export const arrangePlatformAdmin = (app: AccountApp) => insertAccount(app, { isPlatformAdmin: true });

async function insertAccount(app: AccountApp, { isPlatformAdmin = false } = {}) {
  const accountId = randomUUID();
  await app.owner.query(
    `INSERT INTO accounts (id, email, password_hash, is_platform_admin, email_verified_at)
     VALUES ($1, $2, $3, $4, now())`,
    [accountId, `${accountId}@example.com`, SOME_PASSWORD_HASH, isPlatformAdmin],
  );
  return { accountId, bearer: await signedToken(app, 'saas', accountId, { sid: randomUUID() }) };
}

/** Changes the plan of a tenant's workspace through the console API. Unlike a change by SQL, it applies to the next request. */
export async function arrangePlan(app: TestApp, { workspaceId }: TestTenant, plan: object): Promise<void> {
  const admin = await arrangePlatformAdmin(app);
  const answer = await app.http.patch(`/api/workspaces/${workspaceId}/plan`, plan, admin);
  if (answer.status !== 200) throw new Error(`The plan could not be changed: ${answer.text}`);
}

/** Returns a token signed by the deployment. Default lifetime: two hours. */
export async function signedToken(
  app: Pick<TestApp, 'databaseUrl' | 'issuer'>,
  kind: 'saas' | 'player',
  subject: string,
  claims: Record<string, unknown>,
  lifetime = 7_200,
): Promise<string> {
  const deployment = `${app.issuer} ${app.databaseUrl}`;
  if (!signers.has(deployment)) signers.set(deployment, openSigner(app));
  return (await signers.get(deployment)!).sign(kind, subject, claims, lifetime);
}

/**
 * The signers of deployments, with the keys that each had when it signed its first token. To read the keys again for each token would take
 * 40 ms of processor time.
 */
const signers = new Map<string, Promise<TokenSigner>>();

async function openSigner({ databaseUrl, issuer }: Pick<TestApp, 'databaseUrl' | 'issuer'>) {
  const database = openDatabase(databaseUrl, { poolSize: 1 });
  const changes = { on: () => {}, close: async () => {} };
  const signer = await openTokenSigner({ database, vault, changes, issuer });
  await signer.close();
  await database.close();
  return signer;
}

/** Adds an API key that may not read data to a tenant. */
export const arrangeKeyWithoutData = ({ owner }: Pick<TestApp, 'owner'>, tenantId: string): Promise<string> =>
  insertKey(owner, tenantId, 'api', { allowDataApi: false });
