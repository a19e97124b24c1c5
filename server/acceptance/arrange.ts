import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { accepted, call, signIn } from './http.ts';

/** A workspace, and the account that owns it. */
export interface Workspace {
  accessToken: string;
  workspaceId: string;
  email: string;
  password: string;
}

/** A workspace with one game. */
export interface Studio extends Workspace {
  tenantId: string;
  /** The path of the tenant. */
  at: string;
  gameKey: string;
}

/** Creates an account with a workspace through the API. */
export async function arrangeWorkspace(url: string): Promise<Workspace> {
  const password = randomBytes(12).toString('hex');
  const email = `${password}@example.com`;
  const account = { email, password };
  const { accessToken } = await accepted('POST', `${url}/api/saas-auth/signup`, { body: account });
  const workspace = { body: { name: 'Studio' }, bearer: accessToken };
  const { id } = await accepted('POST', `${url}/api/workspaces`, workspace);
  return { accessToken, workspaceId: id, ...account };
}

/** Creates a workspace, and a tenant with a provider and a game key. */
export async function arrangeTenant(url: string, provider = 'Mock'): Promise<Studio> {
  const workspace = await arrangeWorkspace(url);
  const { accessToken: bearer, workspaceId } = workspace;
  const tenants = `${url}/api/workspaces/${workspaceId}/bus_tenants`;
  const { id: tenantId } = await accepted('POST', tenants, { body: { name: 'Game' }, bearer });
  const at = `/api/bus_tenants/${tenantId}`;
  await accepted('PUT', `${url}${at}/providers/${provider}`, { body: { enabled: true }, bearer });
  const { key: gameKey } = await accepted('POST', `${url}${at}/game-keys`, {
    body: { name: 'game' },
    bearer,
  });
  return { ...workspace, tenantId, at, gameKey };
}

/** Lets a tenant create the definitions of the events that it gets. */
export const enableAutoCreate = (url: string, { at, accessToken }: Studio): Promise<unknown> =>
  accepted('PATCH', `${url}${at}/event-definitions/settings`, {
    body: { autoCreate: true },
    bearer: accessToken,
  });

/** The answer to a batch: how many events were stored now, and how many were stored before. */
type Counts = [stored: number, duplicates: number];

/** Creates a tenant with auto-create, and a player who sends events. */
export async function arrangeSender(url: string) {
  const studio = await arrangeTenant(url);
  const { accessToken, at, tenantId, workspaceId, gameKey } = studio;
  await enableAutoCreate(url, studio);
  const player = await signIn(url, gameKey);
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
      const parts = { gameKey, bearer: player.accessToken, body: { events } };
      const { status, body } = await call('POST', `${url}/api/game/player-events`, parts);
      if (status === 503) return undefined;
      assert.ok(status === 201 || status === 422, JSON.stringify(body));
      return [body.records.length, body.duplicateCount];
    },
    /** The status of a sign-in, and of a list of events. */
    async readStatuses(): Promise<number[]> {
      const body = { provider: 'Mock', token: 'mock:ada:secret' };
      const login = await call('POST', `${url}/api/player-auth/login`, { gameKey, body });
      const list = await call('GET', `${url}${at}/events?scope=player`, { bearer: accessToken });
      return [login.status, list.status];
    },
    /** The units that the workspace has used. The sign-in used one. */
    async usedUnits(): Promise<number> {
      const quota = `${url}/api/workspaces/${workspaceId}/quota`;
      return (await accepted('GET', quota, { bearer: accessToken })).used;
    },
  };
}
