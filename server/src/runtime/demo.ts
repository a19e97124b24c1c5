import { withDatabaseAt, type Querier } from '../database/database.ts';
import { createFirstAdmin, createSignInLink, hasAccounts } from '../features/studio/accounts/index.ts';
import { createOwnKey } from '../features/studio/tenant-keys/index.ts';
import { createTenant, setProvider } from '../features/studio/tenants/index.ts';
import { createWorkspace } from '../features/studio/workspaces/index.ts';
import { SYSTEM } from '../core/author.ts';
import { hashPassword, newPassword } from '../security/passwords.ts';
import type { Vault } from '../security/vault.ts';
import { newId } from '../core/ids.ts';
import type { Config } from './config.ts';

/** The account, tenant and key that the first start creates, with the secrets that are shown once. */
interface DemoAccess {
  email: string;
  password: string;
  workspaceId: string;
  tenantId: string;
  /** The token of the link that signs the administrator in once. */
  linkToken: string;
  gameKey: string;
  apiKey: string;
}

/** The credentials of the demo, and the token for which the API reference fills them in. */
export interface ReferenceAccess {
  token: string;
  demo: DemoAccess;
}

const DEMO_EMAIL = 'admin@example.com';
/** The providers that need no settings. */
const DEMO_PROVIDERS = ['Mock', 'EmailOneTimeCode', 'EmailPassword', 'EvmWallet'] as const;

/**
 * Fills a database without accounts, in one transaction: an administrator, a workspace, a tenant with sign-in providers, and a
 * key of each kind. `open` starts to listen within the transaction. If the port is in use, nothing is stored, so the password is not
 * lost. Nobody can sign up before the demo exists. Returns undefined if there are accounts already, without a call of `open`.
 */
export async function seedDemo(
  databaseUrl: string,
  vault: Vault,
  open: () => Promise<void>,
): Promise<DemoAccess | undefined> {
  const password = newPassword();
  const passwordHash = await hashPassword(password, null);
  return withDatabaseAt(databaseUrl, (database) =>
    database.transaction(async (transaction) => {
      if (await hasAccounts(transaction)) return undefined;
      const created = await createDemo(transaction, vault, passwordHash);
      if (!created) return undefined;
      await open();
      return { email: DEMO_EMAIL, password, ...created };
    }),
  );
}

/** Returns undefined if another process has created the first account meanwhile. */
async function createDemo(
  transaction: Querier,
  vault: Vault,
  passwordHash: string,
): Promise<Omit<DemoAccess, 'email' | 'password'> | undefined> {
  const account = { id: newId(), email: DEMO_EMAIL, passwordHash, displayName: 'Administrator' };
  const admin = await createFirstAdmin(transaction, account);
  if (!admin) return undefined;
  const keys = await makeDemoTenant(transaction, vault, admin.id);
  return { ...keys, linkToken: await createSignInLink(transaction, vault, admin.id) };
}

async function makeDemoTenant(
  transaction: Querier,
  vault: Vault,
  ownerId: string,
): Promise<Pick<DemoAccess, 'workspaceId' | 'tenantId' | 'gameKey' | 'apiKey'>> {
  const { id: workspaceId } = await createWorkspace(transaction, SYSTEM, { name: 'Demo studio', ownerId });
  const { id: tenantId } = await createTenant(transaction, SYSTEM, {
    workspaceId,
    name: 'Demo game',
    autoCreateDefinitions: true,
    isDemo: true,
  });
  const services = { vault, config: { mockProvider: true, allowPrivateAddresses: false } };
  for (const provider of DEMO_PROVIDERS)
    await setProvider(transaction, services, SYSTEM, { tenantId, provider, enabled: true });
  const key = { tenantId, name: 'Demo' };
  const game = await createOwnKey(transaction, vault, { ...key, kind: 'game' });
  const api = await createOwnKey(transaction, vault, { ...key, kind: 'api', allowDataApi: true });
  return { workspaceId, tenantId, gameKey: game.key, apiKey: api.key };
}

/** The output of the first start: the credentials as lines that a shell takes, and a first request that works as it stands. */
export function welcome(
  url: string,
  { dataDir, isProduction }: Pick<Config, 'dataDir' | 'isProduction'>,
  { demo, token }: ReferenceAccess,
): string {
  const headers = `-H 'X-Game-Key: ${demo.gameKey}' -H 'Content-Type: application/json'`;
  const body = JSON.stringify({ provider: 'Mock', token: 'mock:ada:secret' });
  return `
This is the first start, so a demo game was created. Open the console. This link signs you in once, within 30 minutes:

  ${url}/welcome#token=${demo.linkToken}

Save these credentials. They are not shown again.
Paste them into another terminal to try the README:

  URL=${url}
  WORKSPACE_ID=${demo.workspaceId}
  TENANT_ID=${demo.tenantId}
  GAME_KEY=${demo.gameKey}
  API_KEY=${demo.apiKey}
  ADMIN_EMAIL=${demo.email}
  ADMIN_PASSWORD=${demo.password}

Sign a first player in:

  curl -sS ${url}/api/player-auth/login ${headers} -d '${body}'

Try all operations in the browser, with the keys filled in until the server stops:

  ${url}/docs/?demo=${token}

Simulate an evening with a hundred players, in ten minutes:

  DATA_DIR="${dataDir}" npm run simulate -- --url ${url}
${isProduction ? PRODUCTION_NOTE : ''}`;
}

const PRODUCTION_NOTE = `
NODE_ENV is production, but the demo game has Mock sign-in: anybody with its game key can sign in under any name. Disable the demo game
in the console. To start without a demo, use an empty DATA_DIR and set GUILDHALL_DEMO=off.
`;
