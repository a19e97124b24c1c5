import type { Answer } from '../../src/testing/http-client.ts';
import { createRandom, rewriteStatements, Schedule } from './schedule.ts';
import type { Guard, Scenario, Stage } from './stage.ts';

/** A schedule after which an invariant was violated. The seed repeats it. */
export interface Violation {
  scenario: string;
  seed: number;
  what: string;
  trace: string[];
}

/** The results of schedules. */
export interface Summary {
  schedules: number;
  choices: number;
  lockWaits: number;
  violations: Violation[];
}

/** A schedule that the machine was too slow for runs again. */
const ATTEMPTS = 3;

/** Runs one schedule of a scenario, and checks its invariants. */
async function runSchedule(
  stage: Stage,
  scenario: Scenario,
  seed: number,
): Promise<{ schedule: Schedule; violation?: Violation }> {
  for (let attempt = 1; ; attempt++) {
    const run = await runOnce(stage, scenario, seed);
    const isSlow = run.violation && /"code":"query_timeout"|is stuck/.test(run.violation.what);
    if (!isSlow || attempt === ATTEMPTS) return run;
    console.log(`The schedule ${seed} was too slow. It runs again.`);
  }
}

async function runOnce(
  stage: Stage,
  scenario: Scenario,
  seed: number,
): Promise<{ schedule: Schedule; violation?: Violation }> {
  const random = createRandom(seed);
  const { requests, check } = await scenario.arrange(stage, random);
  const schedule = new Schedule(random);
  const { processes } = stage;
  const first = random(processes.length);
  try {
    const answers = await schedule.run<Answer>(
      stage.monitor,
      requests.map((request, place) => () => request(processes[(first + place) % processes.length]!)),
    );
    const broken = answers.find(({ status }) => status >= 500);
    if (broken) throw new Error(`An answer is ${broken.status}: ${broken.text}`);
    await check(answers);
    return { schedule };
  } catch (error) {
    const { trace } = schedule;
    return { schedule, violation: { scenario: scenario.name, seed, what: (error as Error).message, trace } };
  }
}

/** Runs one schedule for each seed, on all stages. The seed selects the scenario. Stops after the first violations. */
export async function runSchedules(
  stages: Stage[],
  scenarios: readonly Scenario[],
  { from, count }: { from: number; count: number },
): Promise<Summary> {
  const summary: Summary = { schedules: 0, choices: 0, lockWaits: 0, violations: [] };
  let next = from;
  await Promise.all(
    stages.map(async (stage) => {
      while (next < from + count && summary.violations.length === 0) {
        const seed = next++;
        const { schedule, violation } = await runSchedule(stage, scenarios[seed % scenarios.length]!, seed);
        summary.schedules++;
        summary.choices += schedule.trace.length;
        summary.lockWaits += schedule.lockWaits;
        if (violation) summary.violations.push(violation);
        if (summary.schedules % 1_000 === 0) console.log(`${summary.schedules} schedules`);
      }
    }),
  );
  return summary;
}

/**
 * Runs schedules of a scenario without its guard until a seed leads to a violation, and leads to one again. Returns the violation.
 * Throws if the guard is not found, or if no schedule within the limit violates anything.
 */
export async function findWithoutGuard(stage: Stage, scenario: Scenario, limit: number): Promise<Violation> {
  // The first requests fill caches, so their schedules have more queries.
  for (const seed of [1, 2]) await runSchedule(stage, scenario, seed);
  const guard = await removeGuard(stage, scenario.guard);
  try {
    for (let seed = 1; seed <= limit; seed++) {
      const { violation } = await runSchedule(stage, scenario, seed);
      if (!violation || !guard.wasFound()) continue;
      if ((await runSchedule(stage, scenario, seed)).violation) return violation;
    }
    throw new Error(
      guard.wasFound()
        ? `${limit} schedules without the guard violate nothing.`
        : 'The statements of the schedules do not contain the guard.',
    );
  } finally {
    await guard.restore();
  }
}

interface RemovedGuard {
  restore(): Promise<void>;
  /** Whether all of its parts were found. */
  wasFound(): boolean;
}

async function removeGuard({ query }: Stage, guard: Guard): Promise<RemovedGuard> {
  if ('routine' in guard) {
    const { routine, part } = guard;
    const [found] = await query<{ text: string }>(
      'SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname = $1',
      routine,
    );
    const { text } = found!;
    await query(text.replaceAll(...part));
    return { restore: async () => void (await query(text)), wasFound: () => text.includes(part[0]) };
  }
  if ('constraint' in guard) await query(`ALTER TABLE ${guard.table} DROP CONSTRAINT ${guard.constraint}`);
  const missing = new Set(guard.statement.map(([part]) => part));
  rewriteStatements((text) =>
    guard.statement.reduce((rest, [part, replacement]) => {
      if (rest.includes(part)) missing.delete(part);
      return rest.replaceAll(part, replacement);
    }, text),
  );
  return { restore: async () => rewriteStatements(), wasFound: () => missing.size === 0 };
}
