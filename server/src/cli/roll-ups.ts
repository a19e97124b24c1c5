import { Command } from 'commander';
import { isGuid } from '../core/ids.ts';
import { sql } from '../database/sql.ts';
import {
  checkRollups,
  openArchive,
  rebuildRollups,
  type CountedDay,
  type EventSources,
  type RollupDifference,
  type RollupFigures,
} from '../features/gameplay/events/index.ts';
import { UsageError, withDatabase, withStorage } from './command.ts';

/** Progress is printed this often. */
const PROGRESS_MS = 2_000;

/** How many differences are printed one by one. */
const PRINTED_DIFFERENCES = 100;

interface Options {
  tenant?: string;
}

export const rollUpsCommand = new Command('roll-ups').description(
  'check and rebuild the counts of events that charts and queries read',
);

rollUpsCommand
  .command('check')
  .description('compare the roll-ups with the stored and archived events, and name each difference')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: Options) => {
    let days = 0;
    let differences = 0;
    await ofEachTenant(options, (sources, tenantId) =>
      checkRollups(sources, tenantId, ({ count, differences: found, ...day }) => {
        days++;
        for (const difference of found.slice(0, Math.max(0, PRINTED_DIFFERENCES - differences)))
          console.log(describeDifference(day, difference));
        differences += count;
      }),
    );
    console.log(
      differences === 0
        ? `The roll-ups of ${days} days match the stored events.`
        : `${differences} roll-ups of ${days} days do not match the stored events. Correct them with: guildhall roll-ups rebuild`,
    );
    if (differences > 0) process.exitCode = 2;
  });

rollUpsCommand
  .command('rebuild')
  .description('count the stored and archived events again, while the server runs')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: Options) => {
    let days = 0;
    let events = 0;
    let printedAt = Date.now();
    await ofEachTenant(options, (sources, tenantId) =>
      rebuildRollups(sources, tenantId, (day) => {
        days++;
        events += day.events;
        if (Date.now() - printedAt < PROGRESS_MS) return;
        printedAt = Date.now();
        console.log(`${describeDay(day)}: ${events} events of ${days} days counted so far.`);
      }),
    );
    console.log(`Counted ${events} events of ${days} days.`);
  });

async function ofEachTenant(
  { tenant }: Options,
  work: (sources: EventSources, tenantId: string) => Promise<void>,
): Promise<void> {
  if (tenant !== undefined && !isGuid(tenant)) throw new UsageError(`"${tenant}" is not the id of a tenant.`);
  await withStorage((url, config) =>
    withDatabase(url, async (database) => {
      const archive = openArchive(config);
      const tenants =
        tenant === undefined
          ? await database.forPlatform().rows<{ id: string }>(sql`SELECT id FROM tenants ORDER BY id`)
          : [{ id: tenant }];
      for (const { id } of tenants) await work({ database, archive }, id);
    }),
  );
}

const describeDay = ({ tenantId, scope, day }: CountedDay): string =>
  `tenant ${tenantId}, ${scope} events of ${day.slice(0, 10)}`;

function describeDifference(
  { tenantId, scope }: CountedDay,
  { span, startsAt, definitionId, counted, rolledUp }: RollupDifference,
): string {
  const names = Object.keys(counted) as (keyof RollupFigures)[];
  const changed = names
    .filter((name) => counted[name] !== rolledUp[name])
    .map((name) => `${name} is ${rolledUp[name]} instead of ${counted[name]}`);
  return `tenant ${tenantId}, ${scope} events, ${span} ${startsAt}, definition ${definitionId}: ${changed.join(', ')}`;
}
