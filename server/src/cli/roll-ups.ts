import { Command } from 'commander';
import {
  checkRollups,
  rebuildRollups,
  type CountedDay,
  type RollupDifference,
  type RollupFigures,
} from '../features/gameplay/events/index.ts';
import { forEachTenant, type TenantOption } from './tenants.ts';

/** Progress is printed this often. */
const PROGRESS_MS = 2_000;

/** How many differences are printed one by one. */
const PRINTED_DIFFERENCES = 100;

export const rollUpsCommand = new Command('roll-ups').description(
  'check and rebuild the counts of events that charts and queries read',
);

rollUpsCommand
  .command('check')
  .description('compare the roll-ups with the stored and archived events, and name each difference')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: TenantOption) => {
    let days = 0;
    let differences = 0;
    await forEachTenant(options, (sources, tenantId) =>
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
  .action(async (options: TenantOption) => {
    let days = 0;
    let events = 0;
    let printedAt = Date.now();
    await forEachTenant(options, (sources, tenantId) =>
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
