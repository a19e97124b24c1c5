import { randomBytes } from 'node:crypto';
import type { Send } from './api-client.ts';
import type { WalletIssuer } from './wallet-issuer.ts';

/**
 * What a studio does once, here by the API instead of the dashboard: an account, a workspace, a tenant for the game, the
 * wallet's issuer as its way to sign in, and a game key.
 */
export async function setUpGame(send: Send, { url: issuer, audience }: WalletIssuer): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const email = `studio-${randomBytes(4).toString('hex')}@example.com`;
  const { accessToken } = await send<{ accessToken: string }>('POST', '/api/saas-auth/signup', {
    email,
    password,
  });
  const asStudio = { authorization: `Bearer ${accessToken}` };
  const make = <Made>(path: string, body: object) => send<Made>('POST', path, body, asStudio);

  const workspace = await make<{ id: string }>('/api/workspaces', { name: 'Coin Studio' });
  const tenant = await make<{ id: string }>(`/api/workspaces/${workspace.id}/bus_tenants`, {
    name: 'Coin Run',
  });
  const at = `/api/bus_tenants/${tenant.id}`;
  const settings = { issuer, audience };
  await send('PUT', `${at}/providers/WalletJwt`, { enabled: true, settings }, asStudio);
  const { key } = await make<{ key: string }>(`${at}/game-keys`, { name: 'Coin Run' });
  return key;
}
