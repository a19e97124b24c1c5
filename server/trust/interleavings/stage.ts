import assert from 'node:assert/strict';
import { after } from 'node:test';
import pg from 'pg';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../src/testing/arrange.ts';
import type { Answer, Caller, HttpClient } from '../../src/testing/http-client.ts';
import { startWalletIssuer } from '../../src/testing/providers/wallet-issuer.ts';
import { PLAYER_ENVIRONMENT, PROVIDERS } from '../../src/testing/player-operations.ts';
import { startTestApp, type TestApp } from '../../src/testing/test-app.ts';
import { arrangeWalletTenant, type WalletTenant } from '../../src/testing/wallet-recording.ts';
import type { Random } from './schedule.ts';

/** A request of a schedule, which any process of the server may answer. */
export type Request = (http: HttpClient) => Promise<Answer>;

/** Requests that run at the same time, and what must be true after all of them. */
export interface Arranged {
  requests: Request[];
  /** Throws if an invariant is violated. */
  check(answers: Answer[]): Promise<void>;
}

/**
 * A guard of the application that a control removes: parts of statements, a part of a function in the database, or a constraint.
 * Without it, the invariant must be violated.
 */
export type Guard =
  | { statement: [part: string, replacement: string][] }
  | { routine: string; part: [part: string, replacement: string] }
  | { table: string; constraint: string; statement: [part: string, replacement: string][] };

export interface Scenario {
  name: string;
  arrange(stage: Stage, random: Random): Promise<Arranged>;
  guard: Guard;
}

/**
 * The processes and tenants on which the schedules of a lane run. Lanes run at the same time on the same processes. Each has
 * tenants of its own, so no query serves two lanes, and no lock of one stops another.
 */
export interface Stage {
  /** Answers what the scenarios arrange and check, without a schedule. */
  app: TestApp;
  /** The processes that answer the requests of a schedule. */
  processes: HttpClient[];
  /** Reads the locks of the database. */
  monitor: pg.Client;
  tenant: TestTenant;
  /** An admin of the tenant. */
  admin: Caller;
  walletTenant: WalletTenant;
  query<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>;
}

/**
 * Starts two processes of a server on one database, so that their batches run at the same time. Returns the stages of the lanes.
 * `isBroken` means that guards will be removed.
 */
export async function openStages(lanes: number, { isBroken = false } = {}): Promise<Stage[]> {
  const options = { env: { ...PLAYER_ENVIRONMENT, LOG_LEVEL: 'silent' }, isBroken };
  const first = await startTestApp(options);
  const second = await startTestApp({ ...options, databaseUrl: first.databaseUrl });
  const issuer = await startWalletIssuer();
  return Promise.all(
    Array.from({ length: lanes }, async () => {
      const monitor = new pg.Client({ connectionString: first.databaseUrl });
      after(() => monitor.end());
      monitor.on('error', () => {});
      await monitor.connect();
      const tenant = await arrangeTenant(first, { providers: PROVIDERS });
      const walletTenant = await arrangeWalletTenant(first, issuer);
      await first.owner.query('INSERT INTO wallet_ledgers (tenant_id) VALUES ($1)', [walletTenant.tenantId]);
      await first.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [
        tenant.tenantId,
      ]);
      return {
        app: { ...first, http: first.inject },
        processes: [first.inject, second.inject],
        monitor,
        tenant,
        admin: await arrangeAccount(first, tenant, 'admin'),
        walletTenant,
        query: async <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]) =>
          (await first.owner.query<Row>(text, values)).rows,
      };
    }),
  );
}

/** Signs a new player in. */
export const newPlayer = ({ app, tenant }: Stage) => arrangePlayer(app, tenant);
export type Player = Awaited<ReturnType<typeof newPlayer>>;

/** The answers with a status below 300. */
export const accepted = (answers: Answer[]) => answers.filter(({ status }) => status < 300);

export const refresh =
  ({ tenant }: Stage, { refreshToken }: { refreshToken: string }): Request =>
  (http) =>
    http.post('/api/player-auth/refresh', { refreshToken }, tenant);

export const logIn =
  ({ tenant }: Stage, { username }: { username: string }, more: object = {}): Request =>
  (http) =>
    http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${username}:secret`, ...more },
      tenant,
    );

/** Checks that no refresh token of the answers works any more. */
export async function refuseTokens(stage: Stage, answers: (Answer | undefined)[]): Promise<void> {
  for (const answer of answers)
    if (answer?.status === 200 && answer.body.refreshToken) {
      const { status } = await refresh(stage, answer.body)(stage.app.inject);
      assert.equal(status, 401, 'a refresh token works after its session was ended');
    }
}

/** Checks that no refresh token of a player can be used. */
export async function assertNoOpenSession({ query }: Stage, playerId: string): Promise<void> {
  const open = await query(
    'SELECT session_id FROM login_sessions WHERE player_id = $1 AND ended_at IS NULL AND tokens_revoked_at IS NULL',
    playerId,
  );
  assert.deepEqual(open, [], 'a session is open');
}
