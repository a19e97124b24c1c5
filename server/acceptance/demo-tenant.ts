import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import pg from 'pg';

/** The connection string of the PostgreSQL on a data folder, as its superuser. */
export function databaseUrl(dataDir: string): string {
  const [, , , port, socket = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split(
    '\n',
  );
  return `postgres://guildhall@localhost/guildhall?host=${encodeURIComponent(socket)}&port=${port}`;
}

/** Puts a tenant with Mock and a game key into a server's database, and returns the key. */
export async function arrangeGameKey(url: string, masterKey: string): Promise<string> {
  const body = `gh_game_${randomBytes(32).toString('hex')}`;
  const key = body + crc32(body).toString(16).padStart(8, '0');
  const secret = hkdfSync('sha256', Buffer.from(masterKey, 'hex'), '', 'guildhall fingerprints', 32);
  const fingerprint = createHmac('sha256', Buffer.from(secret)).update(key).digest();
  const tenantId = randomUUID();
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query('BEGIN');
  // The owner of a database that is not its superuser stands before the wall too, and speaks for no tenant unless it says so.
  await database.query(`SET LOCAL guildhall.tenant_id = '${tenantId}'`);
  await database.query(`INSERT INTO workspaces (id, name, slug) VALUES ($1, 'w', $2)`, [tenantId, tenantId]);
  await database.query(`INSERT INTO tenants (id, workspace_id, name, slug) VALUES ($1, $1, 't', 't')`, [
    tenantId,
  ]);
  await database.query(
    `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint)
     VALUES ($1, $2, 'game', 'acceptance', 'gh_game_', $3)`,
    [randomUUID(), tenantId, fingerprint],
  );
  await database.query('SET LOCAL ROLE guildhall_app');
  await database.query(
    `INSERT INTO provider_settings (tenant_id, provider, enabled) VALUES ($1, 'Mock', true)`,
    [tenantId],
  );
  await database.query('COMMIT');
  await database.end();
  return key;
}

/** The master key that a server has made in its data folder. */
export function masterKeyOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
}
