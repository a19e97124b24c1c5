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
export async function arrangeWorkspace(url: string): Promise<{ accessToken: string; workspaceId: string }> {
  const password = randomBytes(12).toString('hex');
  const email = `${password}@example.com`;
  const { accessToken = '' } = await send(`${url}/api/saas-auth/signup`, 'POST', { email, password });
  const { id = '' } = await send(`${url}/api/workspaces`, 'POST', { name: 'Studio' }, accessToken);
  return { accessToken, workspaceId: id };
}

/** Creates a workspace and a tenant with a provider, and returns a game key of the tenant. */
export async function arrangeGameKey(url: string, provider = 'Mock'): Promise<string> {
  const { accessToken, workspaceId } = await arrangeWorkspace(url);
  const make = (path: string, body: object) => send(url + path, 'POST', body, accessToken);
  const tenant = await make(`/api/workspaces/${workspaceId}/bus_tenants`, { name: 'Game' });
  const at = `/api/bus_tenants/${tenant['id']}`;
  await send(`${url}${at}/providers/${provider}`, 'PUT', { enabled: true }, accessToken);
  const { key } = await make(`${at}/game-keys`, { name: 'acceptance' });
  return key ?? '';
}
