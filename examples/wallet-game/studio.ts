import { randomBytes } from 'node:crypto';
import { createAdminClient } from '@guildhall/client/admin';
import type { WalletIssuer } from './wallet-issuer.ts';

/**
 * Does the one-time setup of a studio: an account, a workspace, a tenant with the wallet issuer as its sign-in provider, and a
 * game key. Returns the game key.
 */
export async function setUpGame(baseUrl: string, { url: issuer, audience }: WalletIssuer): Promise<string> {
  const admin = createAdminClient({ baseUrl });
  await admin.signUp({
    email: `studio-${randomBytes(4).toString('hex')}@example.com`,
    password: randomBytes(16).toString('hex'),
  });
  const workspace = await admin.api.POST('/api/workspaces', { body: { name: 'Coin Studio' } });
  const tenant = await admin.api.POST('/api/workspaces/{workspaceId}/bus_tenants', {
    params: { path: { workspaceId: workspace.id } },
    body: { name: 'Coin Run' },
  });
  const tenantId = tenant.id;
  await admin.api.PUT('/api/bus_tenants/{tenantId}/providers/{provider}', {
    params: { path: { tenantId, provider: 'WalletJwt' } },
    body: { enabled: true, settings: { issuer, audience } },
  });
  const { key } = await admin.api.POST('/api/bus_tenants/{tenantId}/game-keys', {
    params: { path: { tenantId } },
    body: { name: 'Coin Run' },
  });
  return key!;
}
