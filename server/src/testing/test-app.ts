import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import type { FindReferenceCredentials } from '../http/openapi/api-reference.ts';
import { createApp } from '../runtime/app.ts';
import { startBackgroundWork } from '../runtime/background-work.ts';
import { readConfig } from '../runtime/config.ts';
import { cloneTestDatabase } from './databases.ts';
import { httpClient, injectClient, type HttpClient } from './http-client.ts';
import { TEST_MASTER_KEY, vault } from './test-vault.ts';

/** A complete Guildhall server for one test file, with its own database, on a free loopback port. */
export interface TestApp {
  http: HttpClient;
  /** The same requests without a connection: they are handed to the application in this process. */
  inject: HttpClient;
  url: string;
  /**
   * Connections of the database owner, who bypasses row-level security. Use them to arrange and to check, never instead
   * of a request.
   */
  owner: pg.Pool;
  databaseUrl: string;
  /** The issuer of its tokens, and the base of its public URLs. */
  issuer: string;
  /** The folder of its avatars, unless the environment sets another storage. */
  avatars: string;
}

export interface TestAppOptions {
  env?: Record<string, string>;
  /** Use this database instead of a new clone, for a second process on one database. */
  databaseUrl?: string;
  findReferenceCredentials?: FindReferenceCredentials;
  /** Receives every log line instead of the standard output. */
  log?: (line: string) => void;
  /**
   * How many processes of one server divide its connections. Default: 4, so this one has 4 connections. Each new connection takes PostgreSQL
   * 30 ms. A test that blocks many connections at once sets 1.
   */
  processes?: number;
  /** Whether the tests break the application on purpose. Then its responses and charges are not checked. */
  isBroken?: boolean;
}

const ISSUER = 'http://guildhall.test';

/**
 * Starts the application for the tests of a file and stops it afterwards. The file fails if a response has a status or
 * a media type that its route does not declare, or if a request on a key is not charged correctly.
 */
export async function startTestApp({
  env = {},
  databaseUrl,
  log,
  findReferenceCredentials,
  processes = 4,
  isBroken = false,
}: TestAppOptions = {}): Promise<TestApp> {
  const clone = databaseUrl ? undefined : await cloneTestDatabase();
  const url = databaseUrl ?? clone!.url;
  const undeclared = new Set<string>();
  const mischarged = new Set<string>();
  const avatars = await mkdtemp(join(tmpdir(), 'guildhall-avatars-'));
  const config = readConfig({
    PORT: '0',
    PUBLIC_URL: ISSUER,
    MASTER_KEY: TEST_MASTER_KEY,
    LOG_LEVEL: 'error',
    AVATAR_STORAGE_URL: pathToFileURL(avatars).href,
    // A test sends more requests in a second than a person.
    ACCOUNT_RATE_LIMIT: '1000000',
    NETWORK_RATE_LIMIT: '1000000',
    ...env,
  });
  const app = await createApp({
    config,
    databaseUrl: url,
    vault,
    processes,
    logger: { level: config.logLevel, ...(log && { stream: { write: log } }) },
    ...(findReferenceCredentials && { findReferenceCredentials }),
    onUndeclaredAnswer: (operation, answer) => undeclared.add(`${operation} answered ${answer}`),
    onMischarged: (operation, what) => mischarged.add(`${operation}: ${what}`),
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const owner = new pg.Pool({ connectionString: url, max: 4 });
  owner.on('error', () => {});

  after(async () => {
    await app.close();
    await owner.end();
    await clone?.drop();
    await rm(avatars, { recursive: true });
    if (isBroken) return;
    assert.deepEqual([...undeclared], [], 'each route declares every status and media type of its responses');
    assert.deepEqual([...mischarged], [], 'only accepted writes on a key are charged, exactly once');
  });
  return {
    http: httpClient(address),
    inject: injectClient(app),
    url: address,
    owner,
    databaseUrl: url,
    issuer: ISSUER,
    avatars,
  };
}

/** Starts a worker on the database of a test app. It stops after the tests of the file, or earlier with `stop`. */
export async function startTestWorker(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  env: Record<string, string> = {},
): Promise<{ stop(): Promise<void> }> {
  const config = readConfig(env);
  const worker = await startBackgroundWork({ config, databaseUrl, vault }, pino({ level: 'silent' }));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= worker.stop());
  after(stop);
  return { stop };
}
