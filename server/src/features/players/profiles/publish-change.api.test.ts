import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import {
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
  mockClient,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { playerChangeQueue, publishPlayerChange } from './publish-change.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { database, jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const elsewhere = await arrangeTenant(app);
const admin = await arrangePlatformAdmin(app);
const { logIn } = mockClient(app, tenant);
const ME = '/api/player-profile/me';

/** Creates a webhook of the deployment, of a workspace, or of a tenant. */
async function arrangeWebhook({
  workspaceId,
  tenantId,
  eventTypes,
}: Partial<TestTenant> & { eventTypes?: string[] }) {
  const id = randomUUID();
  await app.owner.query(
    `INSERT INTO webhooks (id, workspace_id, tenant_id, url, event_types, secret)
     VALUES ($1, $2, $3, 'https://example.com', $4, '')`,
    [id, workspaceId, tenantId, eventTypes],
  );
  return id;
}
const webhooks = {
  deployment: await arrangeWebhook({}),
  workspace: await arrangeWebhook({ workspaceId: tenant.workspaceId }),
  sibling: await arrangeWebhook({ ...sibling, eventTypes: ['player.deleted', 'player.merged'] }),
  elsewhere: await arrangeWebhook({ workspaceId: elsewhere.workspaceId }),
  'alerts only': await arrangeWebhook({ ...tenant, eventTypes: ['alert.rate_spike'] }),
};

const visit = ({ tenantId }: TestTenant, playerId: string) =>
  app.owner.query(
    'INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) VALUES ($1, $2, now(), now())',
    [tenantId, playerId],
  );

/** Runs the waiting steps twice each, as if a worker had died after each commit. Returns the number of steps. */
async function publishWaiting(): Promise<number> {
  for (let steps = 0; steps < 10; steps++) {
    const { rows } = await app.owner.query('DELETE FROM pgboss.job WHERE name = $1 RETURNING data', [
      playerChangeQueue.name,
    ]);
    if (rows.length === 0) return steps;
    for (const { data } of rows) await publishPlayerChange(services, data);
    await app.owner.query('DELETE FROM pgboss.job WHERE name = $1', [playerChangeQueue.name]);
    for (const { data } of rows) await publishPlayerChange(services, data);
  }
  throw new Error('The steps do not end.');
}

/** The events about a player, by webhook and in the order of the tenants. */
async function eventsAbout(playerId: string) {
  const { rows } = await app.owner.query<{
    webhook_id: string;
    event_type: string;
    body: string;
    createdAt: Date;
    jobs: number;
  }>(
    `SELECT webhook_id, event_type, body, created_at AS "createdAt",
            (SELECT count(*)::int FROM pgboss.job WHERE name = 'webhook-delivery' AND data->>'deliveryId' = delivery.id::text) AS jobs
     FROM webhook_deliveries delivery WHERE body LIKE '%' || $1 || '%' ORDER BY body::jsonb->'data'->>'tenantId'`,
    [playerId],
  );
  const events: Record<string, unknown[]> = {};
  for (const { webhook_id, event_type, body, createdAt, jobs } of rows) {
    const name = Object.entries(webhooks).find(([, id]) => id === webhook_id)![0];
    const { type, timestamp, data } = JSON.parse(body);
    assert.equal(type, event_type);
    assert.equal(timestamp, data.deletedAt ?? data.mergedAt);
    assert.ok(jobs > 0);
    // The ids follow from this time, and lists select by both.
    assert.equal(Date.parse(data.deletedAt ?? data.mergedAt), createdAt.getTime());
    (events[name] ??= []).push({ type, data });
  }
  return events;
}

const deletionIn = ({ workspaceId, tenantId }: TestTenant, playerId: string, deletedAt: string) => ({
  type: 'player.deleted',
  data: { workspaceId, tenantId, playerId, deletedAt },
});
const byTenant = <Event extends { data: { tenantId: string } }>(...events: Event[]) =>
  events.toSorted((one, other) => (one.data.tenantId < other.data.tenantId ? -1 : 1));
const receiptOf = async (playerId: string) =>
  (await app.http.get(`/api/admin/players/${playerId}/deletion-receipt`, admin)).body;

describe('player.deleted', () => {
  test('is sent to the webhooks of each tenant that knew the player', async () => {
    const player = await arrangePlayer(app, tenant);
    await logIn(player.username, sibling);
    assert.equal((await app.http.delete(ME, { bearer: player.accessToken })).status, 204);
    assert.equal((await app.http.delete(ME, { bearer: player.accessToken })).status, 204, 'a repetition');
    assert.equal(await publishWaiting(), 1);
    const { deletedAt } = await receiptOf(player.playerId);
    const [here, there] = [tenant, sibling].map((at) => deletionIn(at, player.playerId, deletedAt));
    assert.deepEqual(await eventsAbout(player.playerId), {
      deployment: byTenant(here!, there!),
      workspace: byTenant(here!, there!),
      sibling: [there],
    });
  });

  test('is sent in all workspaces after a deletion by a platform administrator', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    await visit(elsewhere, playerId);
    assert.equal((await app.http.delete(`/api/admin/players/${playerId}`, admin)).status, 204);
    await publishWaiting();
    const { deletedAt } = await receiptOf(playerId);
    const [here, there] = [tenant, elsewhere].map((at) => deletionIn(at, playerId, deletedAt));
    assert.deepEqual(await eventsAbout(playerId), {
      deployment: byTenant(here!, there!),
      workspace: [here],
      elsewhere: [there],
    });
  });

  test('is sent once to each of 250 tenants, 100 at a time, even if each step runs twice', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    await app.owner.query(
      `WITH made AS (
         INSERT INTO tenants (id, workspace_id, name, slug)
         SELECT gen_random_uuid(), $1, 'x', gen_random_uuid() FROM generate_series(2, 250) RETURNING id)
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) SELECT id, $2, now(), now() FROM made`,
      [tenant.workspaceId, playerId],
    );
    assert.equal((await app.http.delete(`/api/admin/players/${playerId}`, admin)).status, 204);
    assert.equal(await publishWaiting(), 3);
    const { workspace = [], deployment = [] } = await eventsAbout(playerId);
    assert.deepEqual([workspace.length, deployment.length], [250, 250]);
    assert.equal(new Set(workspace.map((event) => JSON.stringify(event))).size, 250);
  });
});

describe('player.merged', () => {
  test('is sent to the tenants that knew the merged profile only', async () => {
    const [target, source] = [await arrangePlayer(app, tenant), await arrangePlayer(app, sibling)];
    const merge = (from: typeof source, proof: string, into: typeof target) =>
      app.http.post(
        `${ME}/merge`,
        { sourceProfileId: from.playerId, sourceProvider: 'Mock', sourceAuthToken: proof },
        { bearer: into.accessToken },
      );
    assert.equal((await merge(source, `mock:${source.username}:wrong`, target)).status, 400);
    assert.equal(await publishWaiting(), 0, 'a refused merge publishes nothing');
    assert.equal((await merge(source, `mock:${source.username}:secret`, target)).status, 200);
    await publishWaiting();
    const events = await eventsAbout(source.playerId);
    const [event] = events.sibling as { data: { mergedAt: string } }[];
    const { mergedAt } = event!.data;
    assert.ok(Math.abs(Date.parse(mergedAt) - Date.now()) < 60_000);
    const { workspaceId, tenantId } = sibling;
    const data = {
      workspaceId,
      tenantId,
      playerId: target.playerId,
      mergedPlayerId: source.playerId,
      mergedAt,
    };
    const merged = { type: 'player.merged', data };
    assert.deepEqual(events, { deployment: [merged], workspace: [merged], sibling: [merged] });
  });

  test('is sent with the profile of the merge if that profile is merged or deleted before the step', async () => {
    const [first, second, third] = [
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
    ];
    for (const [from, into] of [
      [first, second],
      [second, third],
    ] as const) {
      const body = {
        sourceProfileId: from.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${from.username}:secret`,
      };
      const merged = await app.http.post(`${ME}/merge`, body, { bearer: into.accessToken });
      assert.equal(merged.status, 200, merged.text);
    }
    assert.equal((await app.http.delete(ME, { bearer: third.accessToken })).status, 204);
    await publishWaiting();
    const idsOf = async ({ playerId }: typeof first) =>
      ((await eventsAbout(playerId)).workspace as { type: string; data: Record<string, string> }[])
        .map(({ type, data }) => [type, data.playerId, data.mergedPlayerId])
        .toSorted();
    assert.deepEqual(await idsOf(first), [['player.merged', second.playerId, first.playerId]]);
    assert.deepEqual(await idsOf(third), [
      ['player.deleted', third.playerId, undefined],
      ['player.merged', third.playerId, second.playerId],
    ]);
  });
});
