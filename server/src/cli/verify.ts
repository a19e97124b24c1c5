import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import type { AlteredRow } from '../core/row-hash.ts';
import { toMicroseconds } from '../core/timestamps.ts';
import { openChain, type ChainSettings } from '../features/wallet/chain/index.ts';
import {
  EVENT_SCOPES,
  listUnknownTenants,
  openArchive,
  verifyArchive,
  verifyEvents,
  type Archive,
} from '../features/gameplay/events/index.ts';
import { verifyLogins } from '../features/sign-in/sessions/index.ts';
import { verifyEnqueued, verifyLedger, verifyOnChain } from '../features/wallet/recording/index.ts';
import type { OpenRange } from '../core/time-range.ts';
import type { Verification } from '../core/verification.ts';
import type { Config } from '../runtime/config.ts';
import { UsageError, withStorage } from './command.ts';
import { withProgress } from './progress.ts';
import { checkTenantId, selectTenantIds } from './tenants.ts';

export const verifyCommand = new Command('verify')
  .description(
    'recompute the hashes of ledgers, events and archived events, check the chains of the wallet ledgers, and name each row that does not match',
  )
  .option('--tenant <id>', 'only this tenant')
  .option('--from <time>', 'only rows of this time (ISO 8601 with an offset) or later')
  .option('--to <time>', 'only rows before this time')
  .action(async ({ tenant, from, to }: { tenant?: string; from?: string; to?: string }) => {
    for (const time of [from, to])
      if (time !== undefined && !toMicroseconds(time))
        throw new UsageError(`"${time}" is not a time: write it as 2026-11-20T00:00:00Z.`);
    if (from !== undefined && to !== undefined && toMicroseconds(from)! >= toMicroseconds(to)!)
      throw new UsageError('The range is empty: --from must be earlier than --to.');
    checkTenantId(tenant);
    const { rows, altered } = await withStorage((url, config) =>
      verifyWithProgress(url, { tenantId: tenant, from, to }, config),
    );
    console.log(
      altered === 0
        ? `All ${rows} rows match their hashes.`
        : `${altered} of ${rows} rows do not match their hashes.`,
    );
    if (altered > 0) process.exitCode = 2;
  });

/** Verifies with the archive and the chain of the settings, like {@link countAltered}. */
export function verifyWithProgress(
  databaseUrl: string,
  range: VerifyRange,
  config: Config,
): Promise<VerifiedRows> {
  return countAltered('rows', (report, onRows) =>
    verify(databaseUrl, range, report, { archive: openArchive(config), chain: config.chain, onRows }),
  );
}

/** How many rows are verified, and how many of them are altered. */
interface VerifiedRows {
  rows: number;
  altered: number;
}

/** Verifies rows with `work`. Prints the progress, with the name of the rows, and a line for each altered row. */
export async function countAltered(
  name: string,
  work: (report: (row: AlteredRow) => void, onRows: (more: number) => void) => Promise<void>,
): Promise<VerifiedRows> {
  let rows = 0;
  let altered = 0;
  const report = ({ table, id, tenantId, problem = 'does not match its hash' }: AlteredRow): void => {
    altered++;
    console.log(`${table} ${id} of tenant ${tenantId} ${problem}`);
  };
  await withProgress(
    () => `${rows} ${name} verified so far.`,
    () => work(report, (more) => (rows += more)),
  );
  return { rows, altered };
}

export interface VerifyRange extends OpenRange {
  tenantId?: string | undefined;
}

/**
 * Recomputes the row hashes of all ledgers and events of one tenant or of all tenants, and walks the chains of the wallet ledgers.
 * With an archive, it also checks the archived events. A range selects events by the time of occurrence, and ledger rows by the
 * time of receipt. Without a range, it also compares the ledgers with the EVM chain, if there is one. Reports each altered row, and
 * calls `onRows` with the number of rows of each part that it has read.
 */
export async function verify(
  databaseUrl: string,
  range: VerifyRange,
  report: (row: AlteredRow) => void,
  {
    archive,
    chain: settings,
    onRows = () => {},
  }: { archive?: Archive; chain?: ChainSettings | undefined; onRows?: (rows: number) => void } = {},
): Promise<void> {
  await withDatabaseAt(databaseUrl, async (database) => {
    const tenantIds = await selectTenantIds(database, range.tenantId);
    const verificationOf = (tenantId: string): Verification => ({ tenantId, range, report, onRows });
    const verifications = tenantIds.map(verificationOf);
    for (const verification of verifications) {
      await verifyLogins(database, verification);
      for (const scope of EVENT_SCOPES) await verifyEvents(database, scope, verification);
      if (archive) await verifyArchive(database, archive, verification);
      await verifyLedger(database, verification);
    }
    if (range.from !== undefined || range.to !== undefined) return;
    if (archive && range.tenantId === undefined)
      for (const id of await listUnknownTenants(archive, tenantIds))
        await verifyArchive(database, archive, verificationOf(id));
    await verifyEnqueued(database, range.tenantId && tenantIds[0], report);
    // This is the last step, because the command fails if the node does not answer.
    const chain = settings && (await openChain(database, settings));
    if (chain) for (const verification of verifications) await verifyOnChain(database, chain, verification);
  });
}
