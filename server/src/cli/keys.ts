import type { Config } from '../runtime/config.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { listSigningKeys, rotateKeys } from '../features/platform/signing-keys/index.ts';
import { readOrCreateMasterKey } from '../security/master-key.ts';
import { createVault } from '../security/vault.ts';

/** Rotates the signing keys of a deployment, and returns what its operator should know, in sentences. */
export async function rotateSigningKeys(
  databaseUrl: string,
  config: Config,
  request: { activateInSeconds: number; revokeOld: boolean },
): Promise<string> {
  const vault = createVault(config.masterKey ?? (await readOrCreateMasterKey(config.dataDir)));
  const system = { actor: { kind: 'system', id: null } } as const;
  const { kid, activeFrom, oldRetireAt } = await withDatabase(databaseUrl, (database) =>
    rotateKeys(database, vault, system, request),
  );
  return request.revokeOld
    ? `The key ${kid} signs from now on. Tokens of the keys before it are refused: whoever has one must refresh it.`
    : `The key ${kid} is published, and signs from ${activeFrom} on.\nTokens of the keys before it are accepted until ${oldRetireAt}.`;
}

/** A line for each signing key whose tokens are accepted, the newest first. */
export async function describeSigningKeys(databaseUrl: string): Promise<string[]> {
  const keys = await withDatabase(databaseUrl, listSigningKeys);
  const signing = keys.find(({ activeFrom }) => Date.parse(activeFrom) <= Date.now());
  return keys.map((key) => {
    const isWaiting = Date.parse(key.activeFrom) > Date.now();
    const state = key === signing ? 'signs' : isWaiting ? 'waits' : 'verifies';
    const end = key.retiresAt === null ? '' : `, retires at ${toTheMillisecond(key.retiresAt)}`;
    return `${key.kid}  ${state.padEnd(8)}  active from ${toTheMillisecond(key.activeFrom)}${end}`;
  });
}

/** As `rotate` has shown it. */
function toTheMillisecond(time: string): string {
  return new Date(time).toISOString();
}

async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(url, { poolSize: 1, work: 'job' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
