import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

/** Sends a request with a JSON body. Throws if the response is not a success. */
export async function send(url: string, method: string, body: object, bearer?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${url}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** Creates an account with a workspace through the API. */
export async function arrangeWorkspace(
  url: string,
): Promise<{ accessToken: string; workspaceId: string; email: string; password: string }> {
  const password = randomBytes(12).toString('hex');
  const email = `${password}@example.com`;
  const { accessToken = '' } = await send(`${url}/api/saas-auth/signup`, 'POST', { email, password });
  const { id = '' } = await send(`${url}/api/workspaces`, 'POST', { name: 'Studio' }, accessToken);
  return { accessToken, workspaceId: id, email, password };
}

/** Creates a workspace and a tenant with a provider. `at` is the path of the tenant. */
export async function arrangeTenant(
  url: string,
  provider = 'Mock',
): Promise<{
  accessToken: string;
  at: string;
  tenantId: string;
  workspaceId: string;
  email: string;
  password: string;
}> {
  const { accessToken, workspaceId, email, password } = await arrangeWorkspace(url);
  const tenants = `${url}/api/workspaces/${workspaceId}/bus_tenants`;
  const { id: tenantId = '' } = await send(tenants, 'POST', { name: 'Game' }, accessToken);
  const at = `/api/bus_tenants/${tenantId}`;
  await send(`${url}${at}/providers/${provider}`, 'PUT', { enabled: true }, accessToken);
  return { accessToken, at, tenantId, workspaceId, email, password };
}

/** Creates a workspace and a tenant with a provider, and returns a game key of the tenant. */
export async function arrangeGameKey(url: string, provider = 'Mock'): Promise<string> {
  const { accessToken, at } = await arrangeTenant(url, provider);
  const { key } = await send(`${url}${at}/game-keys`, 'POST', { name: 'acceptance' }, accessToken);
  return key ?? '';
}
