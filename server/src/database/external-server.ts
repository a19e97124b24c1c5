import pg from 'pg';
import { isCertificateError, NO_TLS } from '../core/database-unavailable.ts';
import { OperatorError } from '../core/operator-error.ts';
import { createClient, sessionOptions, withClient } from './client.ts';
import { APPLICATION_ROLES } from './pool.ts';

/** Event definitions need UNIQUE NULLS NOT DISTINCT, which PostgreSQL has since version 15. */
const MIN_VERSION = 150_000;

/** A setting of our own. A pooler that drops the options of a connection, and with them its role, drops it too. */
const MARK = 'guildhall.direct';

interface Facts {
  hasOptions: boolean;
  version: string;
  versionNumber: number;
  user: string;
  database: string;
  encoding: string;
  ownsDatabase: boolean;
  mayCreateTables: boolean;
  mayCreateRoles: boolean;
  mayGrantRoles: boolean;
  /** How many of the roles exist, and how many of them this user can use. */
  roles: number;
  usableRoles: number;
}

/**
 * Checks that a server can be reached and that its database can hold a deployment. Throws {@link OperatorError} with the first
 * thing to correct.
 */
export async function checkExternalServer(url: string): Promise<void> {
  const client = clientOf(url);
  try {
    await client.connect();
  } catch (error) {
    throw new OperatorError(describeRefusal(client, error as Error & { code?: string }), { cause: error });
  }
  try {
    const { rows } = await client.query<Facts>(
      `SELECT current_setting('${MARK}', true) = 'on' IS TRUE AS "hasOptions",
              current_setting('server_version') AS version,
              current_setting('server_version_num')::int AS "versionNumber",
              current_user AS "user", datname AS database,
              pg_encoding_to_char(encoding) AS encoding,
              pg_has_role(datdba, 'USAGE') AS "ownsDatabase",
              EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'public' AND has_schema_privilege(oid, 'CREATE')) AS "mayCreateTables",
              user_role.rolsuper OR user_role.rolcreaterole AS "mayCreateRoles",
              -- The first migration grants them. Since PostgreSQL 16, CREATEROLE grants only the roles that the user has created.
              user_role.rolsuper OR user_role.rolcreaterole AND current_setting('server_version_num')::int < 160000
                AND to_regclass('migrations') IS NULL AS "mayGrantRoles",
              (SELECT count(*)::int FROM pg_roles WHERE rolname = ANY ($1)) AS roles,
              (SELECT count(*)::int FROM pg_roles WHERE rolname = ANY ($1) AND pg_has_role(oid, 'MEMBER')) AS "usableRoles"
       FROM pg_database, pg_roles user_role
       WHERE datname = current_database() AND user_role.rolname = current_user`,
      [APPLICATION_ROLES],
    );
    const problem = describeShortcoming(rows[0]!);
    if (problem) throw new OperatorError(problem);
  } finally {
    await client.end();
  }
}

function clientOf(url: string): pg.Client {
  try {
    return createClient(url, { options: sessionOptions({ [MARK]: 'on' }) });
  } catch (error) {
    // For example, the file of sslrootcert is missing.
    const reason = (error as Error).message.replace(/\.$/, '');
    throw new OperatorError(`DATABASE_URL has a wrong parameter: ${reason}.`, { cause: error });
  }
}

/** The settings without which PostgreSQL may lose or damage what it has acknowledged. */
const DURABILITY = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Checks that acknowledged data survive a power failure. Throws {@link OperatorError} with the statements that turn it on. */
export async function checkDurability(url: string): Promise<void> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name = ANY ($1) AND setting = 'off' ORDER BY name`,
      [DURABILITY],
    );
    if (rows.length === 0) return;
    const off = rows.map(({ name }) => `${name} = off`).join(' and ');
    const statements = rows.map(({ name }) => `ALTER SYSTEM SET ${name} = on`).join('; ');
    throw new OperatorError(
      `The server of DATABASE_URL runs with ${off}, so a power failure can lose or damage data. As a superuser run: ${statements}; SELECT pg_reload_conf()`,
    );
  });
}

/** Why a connection was refused. The URL is never shown, because it may contain a password. */
function describeRefusal(client: pg.Client, { code, message }: Error & { code?: string }): string {
  const { user, database } = client;
  const place = client.host.startsWith('/') ? client.host : `${client.host}:${client.port}`;
  if (message === NO_TLS)
    return `The server of DATABASE_URL (${place}) does not accept TLS. Turn it on there (ssl = on), or remove sslmode from DATABASE_URL.`;
  const certificate = `The certificate of ${place} in DATABASE_URL`;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `${certificate} has expired. Renew it on that server, or correct the clock of this machine.`;
    case 'CERT_NOT_YET_VALID':
      return `${certificate} is not valid yet. Correct the clock of this machine, or of the one that created it.`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${certificate} is for another host: ${message} Use a host of the certificate in DATABASE_URL.`;
    case '28P01':
      return `DATABASE_URL has a wrong password for the user "${user}" of ${place}. Correct it, or set it with: ALTER ROLE ${quote(user)} PASSWORD '…'`;
    case '28000':
      return `DATABASE_URL names the user "${user}", which ${place} refuses: ${message}. Create the user, or allow it in pg_hba.conf.${message.endsWith('no encryption') ? ' If the server requires TLS, add sslmode=verify-full to DATABASE_URL.' : ''}`;
    case '3D000':
      return `DATABASE_URL names the database "${database}", which ${place} does not have. Create it: CREATE DATABASE ${quote(database)} OWNER ${quote(user)} ENCODING 'UTF8' TEMPLATE template0`;
    case '42501':
      return `DATABASE_URL names the database "${database}", to which the user "${user}" may not connect. Make that user its owner: ALTER DATABASE ${quote(database)} OWNER TO ${quote(user)}`;
    case '53300':
      return `The server of DATABASE_URL (${place}) has no free connection. Raise its max_connections, or stop other clients.`;
    // PgBouncer and the proxy of Amazon RDS.
    case '08P01':
    case '0A000':
      return `The server of DATABASE_URL (${place}) refuses the connection: ${message}. Connect to PostgreSQL directly, not to a pooler.`;
    default:
      if (isCertificateError(code))
        return `${certificate} cannot be verified: ${message}. Name the file of its authority: sslrootcert=/path/ca.pem`;
      return `The database of DATABASE_URL cannot be reached at ${place}: ${message || code}. Start it, or correct the host and the port.`;
  }
}

function describeShortcoming(facts: Facts): string | undefined {
  const { version, user, database, encoding } = facts;
  if (facts.versionNumber < MIN_VERSION)
    return `The server of DATABASE_URL is PostgreSQL ${version}. Guildhall needs PostgreSQL 15 or newer.`;
  if (!facts.hasOptions)
    return 'The server of DATABASE_URL is a pooler, such as PgBouncer, that drops the options of connections. Connect to PostgreSQL directly.';
  if (encoding !== 'UTF8')
    return `The database "${database}" of DATABASE_URL is encoded in ${encoding}, but Guildhall needs UTF8. Create another: CREATE DATABASE guildhall OWNER ${quote(user)} ENCODING 'UTF8' TEMPLATE template0`;
  if (!facts.ownsDatabase)
    return `The user "${user}" of DATABASE_URL does not own the database "${database}". As a superuser run: ALTER DATABASE ${quote(database)} OWNER TO ${quote(user)}`;
  if (!facts.mayCreateTables)
    return `The user "${user}" of DATABASE_URL may not create tables in the schema public. As a superuser connect to the database "${database}", and run: CREATE SCHEMA IF NOT EXISTS public; ALTER SCHEMA public OWNER TO ${quote(user)}`;
  if (facts.roles < APPLICATION_ROLES.length && !facts.mayCreateRoles)
    return `The user "${user}" of DATABASE_URL has no right to create roles. As a superuser run: ALTER ROLE ${quote(user)} CREATEROLE`;
  if (facts.usableRoles < facts.roles && !facts.mayGrantRoles)
    return `The user "${user}" of DATABASE_URL may not use the roles of Guildhall. As a superuser run: GRANT ${APPLICATION_ROLES.join(', ')} TO ${quote(user)} WITH ADMIN OPTION`;
  return undefined;
}

function quote(name: string | undefined): string {
  return pg.escapeIdentifier(name ?? '');
}
