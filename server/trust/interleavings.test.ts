import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findWithoutGuard, runSchedules } from './interleavings/run.ts';
import { scenarios } from './interleavings/scenarios.ts';
import { awaitSignatures, holdQueries } from './interleavings/schedule.ts';
import { openStages, type Scenario } from './interleavings/stage.ts';

/** The number of schedules, and the first seed. `npm run test:interleavings` sets them. */
const COUNT = Number(process.env['GUILDHALL_SCHEDULES'] || 200);
const SEED = Number(process.env['GUILDHALL_SCHEDULE_SEED'] || 1);
const LANES = 4;
/** Schedules within which a control must find a violation. Most need fewer than 10. */
const CONTROL_LIMIT = 150;

holdQueries();
awaitSignatures();
const stages = await openStages(LANES);

test(
  `${COUNT} schedules from the seed ${SEED} violate no invariant`,
  { timeout: 60_000 + COUNT * 1_000 },
  async () => {
    const summary = await runSchedules(stages, scenarios, { from: SEED, count: COUNT });
    const { schedules, choices, lockWaits, violations } = summary;
    for (const { scenario, seed, what, trace } of violations)
      console.log(
        `${scenario}\n${what}\nRepeat it: npm run test:interleavings -- --schedules=1 --seed=${seed}\n${trace.join('\n')}`,
      );
    console.log(
      `${schedules} schedules of ${scenarios.length} scenarios, seeds ${SEED} to ${SEED + schedules - 1}: ${violations.length} violations, ${choices} choices, ${lockWaits} waits for locks`,
    );
    assert.deepEqual(violations, []);
    if (COUNT >= scenarios.length) assert.ok(lockWaits > 0, 'some queries wait for locks');
  },
);

describe('without one guard, schedules violate the invariant', async () => {
  const [stage] = await openStages(1, { isBroken: true });
  const dropsConstraint = ({ guard }: Scenario) => Number('constraint' in guard);
  // A dropped constraint stays dropped.
  for (const scenario of scenarios.toSorted((one, other) => dropsConstraint(one) - dropsConstraint(other)))
    test(scenario.name, async () => {
      const { seed, what } = await findWithoutGuard(stage!, scenario, CONTROL_LIMIT);
      console.log(`schedule ${seed}: ${what.split('\n')[0]}`);
    });
});
