import { Command } from 'commander';
import {
  checkRollups,
  rebuildRollups,
  type CountedDay,
  type RollupDifference,
  type RollupFigures,
} from '../features/gameplay/events/index.ts';
import {
  checkPlayerCounts,
  correctPlayerCounts,
  type PlayerCountDifference,
} from '../features/players/administration/index.ts';
import { withProgress } from './progress.ts';
import { forEachTenant, type TenantOption } from './tenants.ts';

/** How many differences are printed one by one. */
const PRINTED_DIFFERENCES = 100;

export const rollUpsCommand = new Command('roll-ups').description(
  'check and rebuild the counts of events and players that charts, queries and lists read',
);

rollUpsCommand
  .command('check')
  .description(
    'compare the counts with the stored and archived events and with the players, and name each difference',
  )
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: TenantOption) => {
    let days = 0;
    let differences = 0;
    let playerDifferences = 0;
    await withProgress(
      () => `${days} days compared so far.`,
      () =>
        forEachTenant(options, async (sources, tenantId) => {
          await checkRollups(sources, tenantId, ({ count, differences: found, ...day }) => {
            days++;
            for (const difference of found.slice(0, Math.max(0, PRINTED_DIFFERENCES - differences)))
              console.log(describeDifference(day, difference));
            differences += count;
          });
          for (const difference of await checkPlayerCounts(sources.database, tenantId)) {
            console.log(describePlayerDifference(tenantId, difference));
            playerDifferences++;
          }
        }),
    );
    console.log(
      differences === 0
        ? `The roll-ups of ${days} days match the stored events.`
        : `${differences} roll-ups of ${days} days do not match the stored events. Correct them with: guildhall roll-ups rebuild`,
    );
    console.log(
      playerDifferences === 0
        ? 'The counts of players match the stored players.'
        : `${playerDifferences} counts of players do not match the stored players. Correct them with: guildhall roll-ups rebuild`,
    );
    if (differences + playerDifferences > 0) process.exitCode = 2;
  });

rollUpsCommand
  .command('rebuild')
  .description('count the stored and archived events and the players again, while the server runs')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: TenantOption) => {
    let days = 0;
    let events = 0;
    await withProgress(
      () => `${events} events of ${days} days counted so far.`,
      () =>
        forEachTenant(options, async (sources, tenantId) => {
          await correctPlayerCounts(sources.database, tenantId);
          await rebuildRollups(sources, tenantId, (day) => {
            days++;
            events += day.events;
          });
        }),
    );
    console.log(`Counted ${events} events of ${days} days, and the players.`);
  });

const describePlayerDifference = (
  tenantId: string,
  { authProvider, players, counted }: PlayerCountDifference,
): string =>
  `tenant ${tenantId}, ${authProvider === '' ? 'all players' : `players of ${authProvider}`}: counted ${counted} instead of ${players}`;

function describeDifference(
  { tenantId, scope }: CountedDay,
  { span, startsAt, definitionId, counted, rolledUp }: RollupDifference,
): string {
  const names = Object.keys(counted) as (keyof RollupFigures)[];
  const changed = names
    .filter((name) => counted[name] !== rolledUp[name])
    .map((name) => `${name} is ${rolledUp[name]} instead of ${counted[name]}`);
  return `tenant ${tenantId}, ${scope} events, ${span} ${startsAt}, ${definitionId === null ? 'all definitions' : `definition ${definitionId}`}: ${changed.join(', ')}`;
}
