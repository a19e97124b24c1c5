import { Command, Option } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { SYSTEM } from '../core/author.ts';
import {
  describeSigningKeys,
  MAX_ACTIVATION_SECONDS,
  rotateKeys,
} from '../features/platform/signing-keys/index.ts';
import type { Config } from '../runtime/config.ts';
import { openVault } from '../runtime/open-vault.ts';
import { durationOption, withStorage } from './command.ts';

export const keysCommand = new Command('keys').description('manage the keys that sign tokens');

keysCommand
  .command('rotate')
  .description('create the next signing key; safe while servers run')
  .addOption(
    new Option('--activate-in <duration>', 'how long it is published before it signs: 90s, 10m, 2h, up to 7d')
      .argParser(durationOption(0, MAX_ACTIVATION_SECONDS))
      .default(600, '10m'),
  )
  .addOption(
    new Option('--revoke-old', 'after a leak: the new key signs, and all tokens in use are refused, at once')
      .default(false)
      .conflicts('activateIn'),
  )
  .action(({ activateIn, revokeOld }: { activateIn: number; revokeOld: boolean }) =>
    withStorage(async (url, config) =>
      console.log(await rotateSigningKeys(url, config, { activateInSeconds: activateIn, revokeOld })),
    ),
  );

keysCommand
  .command('list')
  .description('list the keys whose tokens are accepted, the newest first')
  .action(() => withStorage(async (url) => console.log((await listKeys(url)).join('\n'))));

/** Rotates the signing keys of a deployment, and returns what its operator should know, in sentences. */
async function rotateSigningKeys(
  databaseUrl: string,
  config: Config,
  request: { activateInSeconds: number; revokeOld: boolean },
): Promise<string> {
  const vault = await openVault(config, databaseUrl);
  const { kid, activeFrom, oldRetireAt } = await withDatabaseAt(databaseUrl, (database) =>
    rotateKeys(database, vault, SYSTEM, request),
  );
  return request.revokeOld
    ? `The key ${kid} signs from now on. Tokens of the keys before it are refused, so players and accounts must refresh theirs.`
    : `The key ${kid} is published, and signs from ${activeFrom} on.\nTokens of the keys before it are accepted until ${oldRetireAt}.`;
}

/** A line for each signing key whose tokens are accepted, the newest first. */
async function listKeys(databaseUrl: string): Promise<string[]> {
  const keys = await withDatabaseAt(databaseUrl, describeSigningKeys);
  return keys.map(({ kid, state, activeFrom, retiresAt }) => {
    const end = retiresAt === null ? '' : `, retires at ${toTheMillisecond(retiresAt)}`;
    return `${kid}  ${state.padEnd(9)}  active from ${toTheMillisecond(activeFrom)}${end}`;
  });
}

/** The form in which `rotate` shows a time. */
function toTheMillisecond(time: string): string {
  return new Date(time).toISOString();
}
