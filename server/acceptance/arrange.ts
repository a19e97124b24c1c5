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

/** The answer to a batch: how many events were stored now, and how many were stored before. */
type Counts = [stored: number, duplicates: number];

/** Creates a tenant with auto-create, and a player who sends events. */
export async function arrangeSender(url: string) {
  const { accessToken, at, tenantId, workspaceId } = await arrangeTenant(url);
  const { key = '' } = await send(`${url}${at}/game-keys`, 'POST', { name: 'acceptance' }, accessToken);
  await send(`${url}${at}/event-definitions/settings`, 'PATCH', { autoCreate: true }, accessToken);
  const post = async (path: string, body: object, bearer?: string) => {
    const headers = { 'content-type': 'application/json', 'x-game-key': key };
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const login = await post('/api/player-auth/login', { provider: 'Mock', token: 'mock:ada:secret' });
  assert.equal(login.status, 200, JSON.stringify(login.body));
  const player = login.body as { playerId: string; accessToken: string };
  let keys = 0;
  return {
    tenantId,
    some: (count: number): object[] =>
      Array.from({ length: count }, () => ({
        playerId: player.playerId,
        eventKey: 'jump',
        value: keys,
        idempotencyKey: `key-${keys++}`,
        occurredAt: '2026-11-20T10:00:00Z',
      })),
    /** Sends a batch. Returns undefined if the answer is 503. */
    async sendEvents(events: object[]): Promise<Counts | undefined> {
      const { status, body } = await post('/api/game/player-events', { events }, player.accessToken);
      if (status === 503) return undefined;
      assert.ok(status === 201 || status === 422, JSON.stringify(body));
      const { records, duplicateCount } = body as { records: unknown[]; duplicateCount: number };
      return [records.length, duplicateCount];
    },
    /** The status of a sign-in, and of a list of events. */
    async readStatuses(): Promise<number[]> {
      const login = await post('/api/player-auth/login', { provider: 'Mock', token: 'mock:ada:secret' });
      const headers = { authorization: `Bearer ${accessToken}` };
      const list = await fetch(`${url}${at}/events?scope=player`, { headers });
      return [login.status, list.status];
    },
    /** The units that the workspace has used. The sign-in used one. */
    async usedUnits(): Promise<number> {
      const headers = { authorization: `Bearer ${accessToken}` };
      const quota = await fetch(`${url}/api/workspaces/${workspaceId}/quota`, { headers });
      return ((await quota.json()) as { used: number }).used;
    },
  };
}
