import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { stepAt, totpCode } from '../features/studio/accounts/totp.ts';
import type { Role } from '../core/role.ts';
import { hashPassword } from '../security/passwords.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from './arrange.ts';
import { csvForm } from './definition-csv.ts';
import { openTestStream } from './event-stream.ts';
import type { Caller } from './http-client.ts';
import { arrangeInvitation } from './invitations.ts';
import { someEmail } from './mailbox.ts';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';
import { addAnonymous } from './wallet-recording.ts';
import { arrangeDeliveries } from './webhooks.ts';

/** The tenant and the caller of a request. */
interface Scene {
  tenant: TestTenant;
  /** The address of the caller. */
  email: string;
}
type Made<Value> = Value | ((scene: Scene) => Promise<Value>);

/** The least valid request of an operation that takes a console account, and who may send it. */
export interface Rule {
  /** Any account; a member of at least this role; or a platform admin. */
  needs: 'account' | Role | 'platformAdmin';
  /** The documented role, if the use case requires more than the route: see the operation's description. */
  declares?: Role;
  /** The least valid body: what becomes JSON, or a form. */
  body?: Made<unknown>;
  query?: string;
  /** Values of path parameters, made for each request. */
  path?: Record<string, Made<string>>;
  /** Whether the answer continues until its reader leaves. */
  isStream?: boolean;
  /** Why a change leaves no audit record. */
  unaudited?: string;
}

const PASSWORD = 'correct horse';
const someText = () => randomBytes(6).toString('hex');
const tenantPath = ({ tenant }: Scene) => `/api/bus_tenants/${tenant.tenantId}`;
const lastDay = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date().toISOString()}`;
const reads: Rule = { needs: 'viewer' };

/** The accounts that prepare what a request needs. The owner is a member of each tenant's workspace. */
interface Preparers {
  owner: Caller & { accountId: string };
  platformAdmin: Caller;
}

let passwordHash: Promise<string> | undefined;

/** Creates the rules of all operations that take a console account, by operation ID. */
export function accountRules(app: TestApp, accounts: Preparers): Record<string, Rule> {
  const asOwner = async (path: string, body: unknown = {}) => {
    const answer = await app.http.post(path, body, accounts.owner);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const made = {
    key: (kind: string) => async (scene: Scene) =>
      (await asOwner(`${tenantPath(scene)}/${kind}-keys`, { name: 'x' })).id as string,
    /** An API key of another workspace, for which the tenant's workspace pays. */
    paidKey: async ({ tenant }: Scene) => {
      const { rows } = await app.owner.query(
        `UPDATE tenant_keys
         SET subscriber_workspace_id = $1, subscriber_agreement_id = id, subscriber_agreed_by = $2, subscriber_agreed_at = now()
         WHERE tenant_id = $3 AND kind = 'api' RETURNING id`,
        [tenant.workspaceId, accounts.owner.accountId, (await arrangeTenant(app)).tenantId],
      );
      return rows[0].id as string;
    },
    member: async ({ tenant }: Scene) => (await arrangeAccount(app, tenant, 'viewer')).accountId,
    invitation: async ({ tenant }: Scene) =>
      (await arrangeInvitation(app, tenant, { email: someEmail() })).id,
    player: async ({ tenant }: Scene) => (await arrangePlayer(app, tenant)).playerId as string,
    bannedPlayer: async (scene: Scene) => {
      const playerId = await made.player(scene);
      await asOwner(`${tenantPath(scene)}/players/${playerId}/ban`);
      return playerId;
    },
    deletedPlayer: async (scene: Scene) => {
      const playerId = await made.player(scene);
      await app.owner.query(
        `INSERT INTO deletion_receipts (player_id, receipt_id, deleted_by, removed_auth_methods, erased_sessions, destroyed_keys)
         VALUES ($1, gen_random_uuid(), 'player', 1, 1, 1)`,
        [playerId],
      );
      return playerId;
    },
    /** About the player that was made last. */
    note: async (scene: Scene) => {
      const { rows } = await app.owner.query(
        'SELECT player_id FROM tenant_access WHERE tenant_id = $1 ORDER BY first_seen_at DESC, player_id DESC LIMIT 1',
        [scene.tenant.tenantId],
      );
      const notes = `${tenantPath(scene)}/players/${rows[0].player_id}/notes`;
      return (await asOwner(notes, { text: 'x' })).id as string;
    },
    /** Gives the caller's account a password. */
    password: async ({ email }: Scene) => {
      passwordHash ??= hashPassword(PASSWORD, null);
      await app.owner.query('UPDATE accounts SET password_hash = $2 WHERE email = $1', [
        email,
        await passwordHash,
      ]);
    },
    /** Gives the caller's account a second factor, or an enrolment that waits for its code. */
    totp: async ({ email }: Scene, isConfirmed: boolean) => {
      const secret = randomBytes(20);
      const { rows } = await app.owner.query('SELECT id FROM accounts WHERE email = $1', [email]);
      for (const { id } of rows) {
        const sealed = vault.seal(secret.toString('base64'), `totp ${id}`);
        await app.owner.query('DELETE FROM account_totp WHERE account_id = $1', [id]);
        await app.owner.query(
          `INSERT INTO account_totp (account_id, secret, confirmed_at)
           VALUES ($1, $2, CASE WHEN $3::boolean THEN now() END)`,
          [id, sealed, isConfirmed],
        );
      }
      return secret;
    },
    /** Of the caller. */
    session: async ({ email }: Scene) => {
      const { rows } = await app.owner.query(
        `INSERT INTO account_sessions (id, account_id)
         SELECT gen_random_uuid(), id FROM accounts WHERE email = $1 OR is_platform_admin
         ORDER BY email = $1 DESC LIMIT 1 RETURNING id`,
        [email],
      );
      return rows[0].id as string;
    },
    match: async ({ tenant }: Scene) => {
      const { rows } = await app.owner.query(
        'INSERT INTO match_sessions (tenant_id, id, started_at) VALUES ($1, gen_random_uuid(), now()) RETURNING id',
        [tenant.tenantId],
      );
      return rows[0].id as string;
    },
    /** Of a new wallet player. */
    walletTransaction: async ({ tenant }: Scene) => {
      const answer = await addAnonymous(app, tenant);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.transactionHash as string;
    },
    notification: async ({ email }: Scene) => {
      const { rows } = await app.owner.query(
        `INSERT INTO notifications (id, account_id, type, title, text)
         SELECT gen_random_uuid(), (SELECT id FROM accounts WHERE email = $1 OR is_platform_admin
                                    ORDER BY email = $1 DESC LIMIT 1), 'test', 'x', 'x' RETURNING id`,
        [email],
      );
      return rows[0].id as string;
    },
    definition: async (scene: Scene) =>
      (await asOwner(`${tenantPath(scene)}/event-definitions`, { eventKey: someText() })).id as string,
    /** A webhook with a delivery. */
    webhook: async ({ tenant }: Scene) =>
      makeWebhook(`/api/workspaces/${tenant.workspaceId}/webhooks`, accounts.owner),
    platformWebhook: async () => {
      // The tests create more webhooks than the limit allows.
      await app.owner.query('DELETE FROM webhooks WHERE workspace_id IS NULL');
      return makeWebhook('/api/admin/webhooks', accounts.platformAdmin);
    },
  };
  /** A delivery of the webhook of a workspace (or of the platform) that was made last. */
  const delivery = async (workspaceId: string | null) => {
    const { rows } = await app.owner.query(
      `SELECT delivery.id FROM webhook_deliveries delivery JOIN webhooks ON webhooks.id = webhook_id
       WHERE workspace_id IS NOT DISTINCT FROM $1 ORDER BY delivery.id DESC LIMIT 1`,
      [workspaceId],
    );
    return rows[0].id as string;
  };
  /** A running redelivery of that webhook. */
  const redelivery = async (workspaceId: string | null) => {
    const { rows } = await app.owner.query(
      `INSERT INTO webhook_redeliveries (id, webhook_id, status, delivery_ids, total)
       SELECT gen_random_uuid(), webhook_id, 'running', ARRAY[id], 1
       FROM webhook_deliveries WHERE id = $1 RETURNING id`,
      [await delivery(workspaceId)],
    );
    return rows[0].id as string;
  };
  const makeWebhook = async (path: string, caller: Caller) => {
    const { body } = await app.http.post(path, { url: 'https://hooks.example.com' }, caller);
    await arrangeDeliveries(app, body.id, 1);
    return body.id as string;
  };

  const gameKey = { keyId: made.key('game') };
  const apiKey = { keyId: made.key('api') };
  const webhook = {
    webhookId: made.webhook,
    deliveryId: ({ tenant }: Scene) => delivery(tenant.workspaceId),
    redeliveryId: ({ tenant }: Scene) => redelivery(tenant.workspaceId),
  };
  const platformWebhook = {
    webhookId: made.platformWebhook,
    deliveryId: () => delivery(null),
    redeliveryId: () => redelivery(null),
  };

  return {
    getOwnAccount: { needs: 'account' },
    listAccountSessions: { needs: 'account' },
    endAccountSession: { needs: 'account', path: { sessionId: made.session } },
    resendAccountVerification: {
      needs: 'account',
      body: async ({ email }: Scene) => {
        await app.owner.query('UPDATE accounts SET email_verified_at = NULL WHERE email = $1', [email]);
        return undefined;
      },
    },
    updateAccountPassword: {
      needs: 'account',
      body: async (scene: Scene) => {
        await made.password(scene);
        return { currentPassword: PASSWORD, newPassword: PASSWORD };
      },
    },
    enrollAccountTotp: {
      needs: 'account',
      body: async (scene: Scene) => {
        await app.owner.query('UPDATE accounts SET email_verified_at = now() WHERE email = $1', [
          scene.email,
        ]);
        await made.password(scene);
        return { password: PASSWORD };
      },
    },
    confirmAccountTotp: {
      needs: 'account',
      body: async (scene: Scene) => {
        const secret = await made.totp(scene, false);
        return { code: totpCode(secret, stepAt(Date.now())) };
      },
    },
    rotateRecoveryCodes: {
      needs: 'account',
      body: async (scene: Scene) => {
        await made.totp(scene, true);
        await made.password(scene);
        return { password: PASSWORD };
      },
    },
    disableAccountTotp: {
      needs: 'account',
      body: async (scene: Scene) => {
        const secret = await made.totp(scene, true);
        return { code: totpCode(secret, stepAt(Date.now())) };
      },
    },
    joinWorkspace: {
      needs: 'account',
      body: async ({ email }: Scene) => {
        const { token } = await arrangeInvitation(app, await arrangeTenant(app), { email });
        return { token };
      },
    },

    listWorkspaces: { needs: 'account' },
    createWorkspace: { needs: 'account', body: { name: 'x' } },
    getWorkspace: reads,
    updateWorkspace: { needs: 'owner', body: { name: 'x' } },
    updatePlan: { needs: 'platformAdmin', body: { name: 'x' } },
    listWorkspaceAuditRecords: reads,
    listPlatformAuditRecords: { needs: 'platformAdmin' },
    getQuota: reads,
    listPaidKeys: reads,
    endPayment: { needs: 'admin', path: { keyId: made.paidKey } },
    getUsage: reads,

    listMembers: reads,
    inviteMember: { needs: 'admin', body: async () => ({ email: someEmail(), role: 'viewer' }) },
    updateMember: { needs: 'admin', body: { role: 'admin' }, path: { userId: made.member } },
    removeMember: { needs: 'admin', declares: 'viewer', path: { userId: made.member } },
    withdrawInvitation: { needs: 'admin', path: { invitationId: made.invitation } },

    listTenants: reads,
    createTenant: { needs: 'admin', body: { name: 'x' } },
    getTenant: reads,
    updateTenant: { needs: 'admin', body: { name: 'x' } },
    disableTenant: { needs: 'admin' },
    listTenantAuditRecords: reads,

    listProviders: reads,
    getProvider: { ...reads, path: { provider: 'Mock' } },
    updateProvider: { needs: 'admin', body: { enabled: false }, path: { provider: 'Mock' } },

    listGameKeys: reads,
    createGameKey: { needs: 'admin', body: { name: 'x' } },
    updateGameKey: { needs: 'admin', body: { name: 'y' }, path: gameKey },
    rotateGameKey: { needs: 'admin', body: {}, path: gameKey },
    revokeGameKey: { needs: 'admin', path: gameKey },
    listApiKeys: reads,
    createApiKey: { needs: 'admin', body: { name: 'x' } },
    updateApiKey: { needs: 'admin', body: { name: 'y' }, path: apiKey },
    rotateApiKey: { needs: 'admin', body: {}, path: apiKey },
    revokeApiKey: { needs: 'admin', path: apiKey },

    listEventDefinitions: { needs: 'admin' },
    createEventDefinition: { needs: 'admin', body: async () => ({ eventKey: someText() }) },
    updateEventDefinition: {
      needs: 'admin',
      body: { isActive: false },
      path: { definitionId: made.definition },
    },
    exportEventDefinitions: { needs: 'admin' },
    importEventDefinitions: {
      needs: 'admin',
      body: async () => csvForm(`event_key,event_value\n${someText()},\n`),
    },
    getEventDefinitionSettings: { needs: 'admin' },
    updateEventDefinitionSettings: { needs: 'admin', body: { autoCreate: true } },

    listTenantPlayers: reads,
    getTenantPlayers: {
      ...reads,
      unaudited: 'it changes nothing',
      body: async (scene: Scene) => ({ playerIds: [await made.player(scene)] }),
    },
    getTenantPlayer: { ...reads, path: { playerId: made.player } },
    updateTenantPlayer: { needs: 'admin', body: { tenantRole: 'tester' }, path: { playerId: made.player } },
    listTenantPlayerSessions: { ...reads, path: { playerId: made.player } },
    listTenantPlayerDevices: { ...reads, path: { playerId: made.player } },
    exportTenantPlayer: { needs: 'admin', path: { playerId: made.player } },
    banPlayer: { needs: 'admin', body: {}, path: { playerId: made.player } },
    liftPlayerBan: { needs: 'admin', path: { playerId: made.bannedPlayer } },
    forcePlayerLogout: { needs: 'admin', body: {}, path: { playerId: made.player } },
    listPlayerBans: { ...reads, path: { playerId: made.player } },
    listPlayerNotes: { ...reads, path: { playerId: made.player } },
    createPlayerNote: { needs: 'admin', body: { text: 'x' }, path: { playerId: made.player } },
    deletePlayerNote: { needs: 'admin', path: { playerId: made.player, noteId: made.note } },

    listEvents: { ...reads, query: 'scope=player' },
    listRejectedEvents: reads,
    exportEvents: { ...reads, query: 'scope=player' },
    getEventSummary: { ...reads, query: `scope=player&${lastDay}` },
    queryEvents: {
      ...reads,
      unaudited: 'it changes nothing',
      body: { scope: 'player', from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' },
    },
    getSessionAnalytics: { ...reads, query: lastDay },
    getSessionTimeline: reads,
    listTenantMatches: reads,
    getTenantMatch: { ...reads, path: { matchSessionId: made.match } },

    listWalletEntries: reads,
    getTenantWalletTransaction: { ...reads, path: { transactionHash: made.walletTransaction } },

    listAlerts: reads,
    getAlertSettings: reads,
    updateAlertSettings: { needs: 'admin', body: async () => ({ rateLimitPerMinute: randomInt(1, 1e9) }) },

    listNotifications: { needs: 'account' },
    streamNotifications: { needs: 'account', isStream: true },
    markNotificationRead: {
      needs: 'account',
      path: { notificationId: made.notification },
      unaudited: 'it is one’s own to read',
    },
    markAllNotificationsRead: { needs: 'account', unaudited: 'they are one’s own to read' },

    listDeletionReceipts: { needs: 'platformAdmin' },
    getDeletionReceipt: { needs: 'platformAdmin', path: { playerId: made.deletedPlayer } },
    deletePlayer: { needs: 'platformAdmin', path: { playerId: made.player } },

    listWebhooks: reads,
    createWebhook: { needs: 'admin', body: { url: 'https://hooks.example.com' } },
    getWebhook: { ...reads, path: webhook },
    updateWebhook: { needs: 'admin', body: { enabled: false }, path: webhook },
    deleteWebhook: { needs: 'admin', path: webhook },
    testWebhook: { needs: 'admin', path: webhook },
    rotateWebhookSecret: { needs: 'admin', body: {}, path: webhook },
    listWebhookDeliveries: { ...reads, path: webhook },
    getWebhookDelivery: { ...reads, path: webhook },
    redeliverWebhook: { needs: 'admin', path: webhook },
    startWebhookRedelivery: { needs: 'admin', body: { status: 'pending' }, path: webhook },
    listWebhookRedeliveries: { ...reads, path: webhook },
    getWebhookRedelivery: { ...reads, path: webhook },
    cancelWebhookRedelivery: { needs: 'admin', path: webhook },

    listPlatformWebhooks: { needs: 'platformAdmin' },
    createPlatformWebhook: { needs: 'platformAdmin', body: { url: 'https://hooks.example.com' } },
    getPlatformWebhook: { needs: 'platformAdmin', path: platformWebhook },
    updatePlatformWebhook: { needs: 'platformAdmin', body: { enabled: false }, path: platformWebhook },
    deletePlatformWebhook: { needs: 'platformAdmin', path: platformWebhook },
    testPlatformWebhook: { needs: 'platformAdmin', path: platformWebhook },
    rotatePlatformWebhookSecret: { needs: 'platformAdmin', body: {}, path: platformWebhook },
    listPlatformWebhookDeliveries: { needs: 'platformAdmin', path: platformWebhook },
    getPlatformWebhookDelivery: { needs: 'platformAdmin', path: platformWebhook },
    redeliverPlatformWebhook: { needs: 'platformAdmin', path: platformWebhook },
    startPlatformWebhookRedelivery: {
      needs: 'platformAdmin',
      body: { status: 'pending' },
      path: platformWebhook,
    },
    listPlatformWebhookRedeliveries: { needs: 'platformAdmin', path: platformWebhook },
    getPlatformWebhookRedelivery: { needs: 'platformAdmin', path: platformWebhook },
    cancelPlatformWebhookRedelivery: { needs: 'platformAdmin', path: platformWebhook },

    listOutboxMails: { needs: 'platformAdmin' },
    listAllWorkspaces: { needs: 'platformAdmin', query: 'search=w' },
    getAnyWorkspace: { needs: 'platformAdmin' },
    listMatchingPlayers: { needs: 'platformAdmin', query: 'search=ada@example.com' },
    listSigningKeys: { needs: 'platformAdmin' },
    rotateSigningKeys: {
      needs: 'platformAdmin',
      body: async () => {
        // A second key may not wait beside a first one.
        await app.owner.query('DELETE FROM signing_keys WHERE active_from > now()');
        return {};
      },
    },
    listJobQueues: { needs: 'platformAdmin' },
    getHealth: { needs: 'platformAdmin' },
  };
}

/** An operation of the OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  operationId: string;
  security?: Record<string, string[]>[];
  'x-required-role'?: Role;
}

/** Lists the operations of an OpenAPI document. */
export function operationsOf(document: { paths: Record<string, Record<string, Operation>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
}

/** The request of a rule, without the credential. */
interface RuleRequest {
  path: Record<string, string>;
  query: string | undefined;
  body: unknown;
}

/** Prepares the request of a rule. */
export async function requestByRule({ path }: Operation, rule: Rule, scene: Scene): Promise<RuleRequest> {
  const make = async <Value>(value: Made<Value>) =>
    typeof value === 'function' ? (value as (scene: Scene) => Promise<Value>)(scene) : value;
  const parts: Record<string, Made<string>> = { ...scene.tenant, ...rule.path };
  const values: Record<string, string> = {};
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = parts[name];
    assert.ok(value !== undefined, `the rule says what ${name} is`);
    values[name] = await make(value);
  }
  return { path: values, query: rule.query, body: await make(rule.body) };
}

/** Sends the request of a rule. */
export async function sendByRule(
  app: TestApp,
  operation: Operation,
  rule: Rule,
  scene: Scene,
  caller: Caller,
) {
  const { path, query, body } = await requestByRule(operation, rule, scene);
  let address = operation.path;
  for (const [name, value] of Object.entries(path)) address = address.replace(`{${name}}`, value);
  if (query) address += `?${query}`;
  if (rule.isStream) {
    const stream = await openTestStream(app.url + address, caller);
    stream.close();
    return { ...stream, text: '' };
  }
  const isForm = body === undefined || body instanceof FormData;
  return app.http.raw(operation.method, address, isForm ? body : JSON.stringify(body), caller);
}
