import { randomBytes } from 'node:crypto';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangeProvider,
  arrangeTenant,
} from '../src/testing/arrange.ts';
import { hashPassword } from '../src/security/passwords.ts';
import { operationsOf, type Operation as DocumentedOperation } from '../src/testing/account-operations.ts';
import type { Caller } from '../src/testing/http-client.ts';
import { withoutReferences } from '../src/testing/openapi.ts';
import { PLAYER_ENVIRONMENT, PROVIDERS } from '../src/testing/player-operations.ts';
import { startStoreAOpenId, type StoreAOpenIdServer } from '../src/testing/providers/store-a-openid.ts';
import { startWalletIssuer, type WalletIssuer } from '../src/testing/providers/wallet-issuer.ts';
import { startTestApp, type TestApp } from '../src/testing/test-app.ts';
import type { WalletTenant } from '../src/testing/wallet-recording.ts';

/** A JSON Schema, without references. */
// oxlint-disable-next-line typescript/no-explicit-any -- JSON Schema has many shapes
export type Schema = Record<string, any>;

/** An operation of the OpenAPI document, without references. */
export interface Operation extends DocumentedOperation {
  tags: string[];
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }>; headers?: object }>;
}

/** A running server with its operations, and the stand-ins of the services that it asks. */
export interface World {
  app: TestApp;
  operations: Operation[];
  store: StoreAOpenIdServer;
  issuer: WalletIssuer;
  platformAdmin: Caller & { accountId: string };
}

/** A tenant with all providers, and the owner of its workspace. */
export interface Studio {
  tenant: WalletTenant;
  owner: Caller & { accountId: string; bearer: string; email: string };
}

export const METRICS_TOKEN = 'm'.repeat(32);

/** Starts a server whose routes can all be used. */
export async function startWorld(log?: (line: string) => void): Promise<World> {
  const store = await startStoreAOpenId();
  const app = await startTestApp({
    env: {
      ...PLAYER_ENVIRONMENT,
      STORE_A_OPENID_URL: store.url,
      METRICS_TOKEN,
      ...(log && { LOG_LEVEL: 'trace' }),
    },
    ...(log && { log }),
  });
  const { body: document } = await app.http.get('/openapi.json');
  return {
    app,
    store,
    issuer: await startWalletIssuer(),
    platformAdmin: await arrangePlatformAdmin(app),
    operations: operationsOf(withoutReferences(document)) as Operation[],
  };
}

export const OWNER_PASSWORD = 'a password of an owner';
const passwordHash = await hashPassword(OWNER_PASSWORD, null);
let studios = 0;

/** Creates a tenant in a new workspace, or in the workspace of another studio. */
export async function arrangeStudio({ app, issuer }: World, neighbour?: Studio): Promise<Studio> {
  const workspace = neighbour && { workspaceId: neighbour.tenant.workspaceId };
  const tenant = { ...(await arrangeTenant(app, { ...workspace, providers: PROVIDERS })), issuer };
  await arrangeProvider(app, tenant, 'WalletJwt', { issuer: issuer.issuer, audience: issuer.audience });
  await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenant.tenantId]);
  // The numbers of wallet recording begin at 1 in each tenant. Here they differ, so that the number of one tenant is missing in others.
  const last = ++studios * 1_000_000;
  await app.owner.query(
    'INSERT INTO wallet_ledgers (tenant_id, players, sessions, matches, records) VALUES ($1, $2, $2, $2, $2)',
    [tenant.tenantId, last],
  );
  const owner = await arrangeAccount(app, tenant, 'owner');
  await app.owner.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [
    owner.accountId,
    passwordHash,
  ]);
  return { tenant, owner: { ...owner, email: `${owner.accountId}@example.com` } };
}

export const someText = () => randomBytes(6).toString('hex');
