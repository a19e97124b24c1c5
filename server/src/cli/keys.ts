import { Command, Option } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { SYSTEM } from '../core/author.ts';
import { parseDuration } from '../core/durations.ts';
import { listSigningKeys, rotateKeys } from '../features/platform/signing-keys/index.ts';
import type { Config } from '../runtime/config.ts';
import { openMasterKey } from '../runtime/open-master-key.ts';
import { createVault } from '../security/vault.ts';
import { UsageError, withStorage } from './command.ts';

const MAX_WAIT_SECONDS = 7 * 24 * 60 * 60;

export const keysCommand = new Command('keys').description('manage the keys that sign tokens');

keysCommand
  .command('rotate')
  .description('create the next signing key; safe beside running servers')
  .option(
    '--activate-in <duration>',
    'how long it is published before it signs: 90s, 10m, 2h, up to 7d',
    '10m',
  )
  .addOption(
    new Option('--revoke-old', 'after a leak: the new key signs, and all tokens in use are refused, at once')
      .default(false)
      .conflicts('activateIn'),
  )
  .action(async ({ activateIn, revokeOld }: { activateIn: string; revokeOld: boolean }) => {
    const activateInSeconds = parseDuration(activateIn);
    if (activateInSeconds === undefined || activateInSeconds > MAX_WAIT_SECONDS)
      throw new UsageError(`"${activateIn}" is not a duration: write it as 90s, 10m or 2h, up to 7d.`);
    await withStorage(async (url, config) =>
      console.log(await rotateSigningKeys(url, config, { activateInSeconds, revokeOld })),
    );
  });

keysCommand
  .command('list')
  .description('list the keys whose tokens are accepted, the newest first')
  .action(() => withStorage(async (url) => console.log((await describeSigningKeys(url)).join('\n'))));

/** Rotates the signing keys of a deployment, and returns what its operator should know, in sentences. */
async function rotateSigningKeys(
  databaseUrl: string,
  config: Config,
  request: { activateInSeconds: number; revokeOld: boolean },
): Promise<string> {
  const vault = createVault(await openMasterKey(config, databaseUrl));
  const { kid, activeFrom, oldRetireAt } = await withDatabaseAt(databaseUrl, (database) =>
    rotateKeys(database, vault, SYSTEM, request),
  );
  return request.revokeOld
    ? `The key ${kid} signs from now on. Tokens of the keys before it are refused, so players and accounts must refresh theirs.`
    : `The key ${kid} is published, and signs from ${activeFrom} on.\nTokens of the keys before it are accepted until ${oldRetireAt}.`;
}

/** A line for each signing key whose tokens are accepted, the newest first. */
async function describeSigningKeys(databaseUrl: string): Promise<string[]> {
  const keys = await withDatabaseAt(databaseUrl, listSigningKeys);
  const signing = keys.find(({ activeFrom }) => Date.parse(activeFrom) <= Date.now());
  return keys.map((key) => {
    const isWaiting = Date.parse(key.activeFrom) > Date.now();
    const state = key === signing ? 'signs' : isWaiting ? 'waits' : 'verifies';
    const end = key.retiresAt === null ? '' : `, retires at ${toTheMillisecond(key.retiresAt)}`;
    return `${key.kid}  ${state.padEnd(8)}  active from ${toTheMillisecond(key.activeFrom)}${end}`;
  });
}

/** The form in which `rotate` shows a time. */
function toTheMillisecond(time: string): string {
  return new Date(time).toISOString();
}
