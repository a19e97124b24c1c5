import { randomBytes } from 'node:crypto';
import type { Send } from './api-client.ts';
import type { WalletIssuer } from './wallet-issuer.ts';

/**
 * Does the one-time setup of a studio: an account, a workspace, a tenant with the wallet issuer as its sign-in provider, and a
 * game key. Returns the game key.
 */
export async function setUpGame(send: Send, { url: issuer, audience }: WalletIssuer): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const email = `studio-${randomBytes(4).toString('hex')}@example.com`;
  const { accessToken } = await send<{ accessToken: string }>('POST', '/api/saas-auth/signup', {
    email,
    password,
  });
  const asStudio = { authorization: `Bearer ${accessToken}` };
  const create = <Created>(path: string, body: object) => send<Created>('POST', path, body, asStudio);

  const workspace = await create<{ id: string }>('/api/workspaces', { name: 'Coin Studio' });
  const tenant = await create<{ id: string }>(`/api/workspaces/${workspace.id}/bus_tenants`, {
    name: 'Coin Run',
  });
  const at = `/api/bus_tenants/${tenant.id}`;
  const settings = { issuer, audience };
  await send('PUT', `${at}/providers/WalletJwt`, { enabled: true, settings }, asStudio);
  const { key } = await create<{ key: string }>(`${at}/game-keys`, { name: 'Coin Run' });
  return key;
}
