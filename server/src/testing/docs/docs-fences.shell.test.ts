import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse as parseCsv } from 'csv-parse/sync';
import { settings } from '../../runtime/settings.ts';
import { seedDemo } from '../../runtime/demo.ts';
import { avoidEndOf } from '../avoid-end-of.ts';
import { eventually } from '../eventually.ts';
import { serveOnLoopback } from '../loopback-server.ts';
import { startTestApp, startTestWorker, type TestApp } from '../test-app.ts';
import { shapeDifferences } from './compare-shape.ts';
import { readFences, type Fence } from './read-page.ts';
import { runPage, type PageRun } from './run-page.ts';
import { TEST_MASTER_KEY, vault } from '../test-vault.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const AVATAR = fileURLToPath(new URL('me.jpg', import.meta.url));
const CONVENTIONS = 'docs/api-conventions.md';

/** Pages for somebody who has nothing but the output of the first start. All others begin with the common variables. */
const SELF_CONTAINED = ['README.md', 'docs/quick-start.md', CONVENTIONS];

const RUN = new Set(['sh', 'js', 'ts', 'python']);
/** Pictures and the output of programs. */
const SHOWN = 'text';

const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT })
  .map((page) => ({ page, fences: readFences(readFileSync(join(ROOT, page), 'utf8')) }))
  .filter(({ fences }) => fences.length > 0)
  .toSorted((a, b) => a.page.localeCompare(b.page));

/** The fence that defines the variables of all pages. */
const common = pages.find(({ page }) => page === CONVENTIONS)!.fences[0]!;

const isRun = ({ language, marks }: Fence): boolean => RUN.has(language) && !marks.notRun;

/** The output of the first start, for a server on a database of its own. */
async function startDemo(): Promise<{ app: TestApp; env: Record<string, string> }> {
  const app = await startTestApp();
  await startTestWorker(app);
  const demo = await seedDemo(app.databaseUrl, vault, async () => {});
  assert.ok(demo);
  return {
    app,
    env: {
      URL: app.url,
      PUBLIC_URL: app.issuer,
      TENANT_ID: demo.tenantId,
      WORKSPACE_ID: demo.workspaceId,
      GAME_KEY: demo.gameKey,
      API_KEY: demo.apiKey,
      ADMIN_EMAIL: demo.email,
      ADMIN_PASSWORD: demo.password,
      IDLE_URL: await serveOnLoopback((_, response) => {
        void eventually(() => isIdle(app)).finally(() => response.end());
      }),
      // For the commands of operators.
      DATABASE_URL: app.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      LOG_LEVEL: 'error',
    },
  };
}

/** Whether the worker has done all jobs that are due. */
async function isIdle({ owner }: TestApp): Promise<boolean> {
  const { rowCount } = await owner.query(
    `SELECT FROM pgboss.job WHERE state IN ('created', 'active', 'retry') AND start_after <= now() LIMIT 1`,
  );
  return rowCount === 0;
}

/** Describes what is wrong about the answers of a fence, in sentences. */
function answerProblems(fence: Fence, { answers }: PageRun): string[] {
  const own = answers.filter(({ line }) => line === fence.line);
  const expected = fence.marks.answers;
  if (expected !== undefined && own.at(-1)?.status !== expected)
    return [`line ${fence.line}: the last answer is ${own.at(-1)?.status}, not ${expected}`];
  const successes = expected === undefined ? own : own.slice(0, -1);
  return successes
    .filter(({ status }) => status < 200 || status > 299)
    .map(({ status, body }) => `line ${fence.line}: an answer is ${status}: ${body.slice(0, 500)}`);
}

/** Compares each JSON fence with the last answer of the commands before it. */
function shapeProblems(fences: Fence[], { answers }: PageRun): string[] {
  return fences.flatMap((fence, index) => {
    if (fence.language !== 'json' || fence.marks.notCompared) return [];
    const commands = fences.slice(0, index).findLast(({ language }) => language === 'sh');
    if (!commands) return [`line ${fence.line}: no command is before this JSON`];
    if (commands.marks.notRun) return [`line ${fence.line}: the command before this JSON is not run`];
    const answer = answers.findLast(({ line }) => line === commands.line);
    if (!answer) return [`line ${fence.line}: the command before this JSON sends no request`];
    return shapeDifferences(JSON.parse(fence.code), JSON.parse(answer.body)).map(
      (difference) => `line ${fence.line}: ${difference}`,
    );
  });
}

/** Parses a fence that is data. */
function checkData({ language, code }: Fence): void {
  if (language === 'json') JSON.parse(code);
  else if (language === 'csv') parseCsv(code, { columns: true });
  else if (language === 'env')
    for (const line of code.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) {
      const [, name = ''] = /^([A-Z_]+)=\S/.exec(line) ?? [];
      assert.ok(name in settings.entries, `${line} is a setting`);
    }
  else
    assert.ok(
      language === SHOWN || language === 'sql',
      `the language "${language}" is known, or the fence is marked as not run`,
    );
}

/** Runs the commands of a page against a server of its own, and describes what is wrong, in sentences. */
async function problemsOf(page: string, fences: Fence[]): Promise<string[]> {
  const { app, env } = await startDemo();
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-docs-'));
  try {
    await copyFile(AVATAR, join(folder, 'me.jpg'));
    for (const { code } of fences.filter(({ language }) => language === 'sql'))
      // plpgsql parses the statements, and runs none of them.
      await app.owner.query(`DO $check$ BEGIN RETURN; ${code} END $check$`);
    const before = SELF_CONTAINED.includes(page) ? [] : [{ ...common, line: 0 }];
    const run = await runPage([...before, ...fences.filter(isRun)], { folder, env });
    if (run.exitCode !== 0)
      return [`line ${run.line}: exit code ${run.exitCode}\n${run.output.slice(-2000)}`];
    return [
      ...fences.filter(isRun).flatMap((fence) => answerProblems(fence, run)),
      ...shapeProblems(fences, run),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the code of the documentation', { concurrency: 3 }, () => {
  for (const { page, fences } of pages)
    test(`works on ${page}`, async () => {
      for (const fence of fences.filter((fence) => !RUN.has(fence.language) && !fence.marks.notRun))
        assert.doesNotThrow(() => checkData(fence), `${page}:${fence.line}`);
      const needsServer = fences.some((fence) => isRun(fence) || fence.language === 'sql');
      // The usage of the current month is that of the page.
      if (needsServer) await avoidEndOf('month');
      const problems = needsServer ? await problemsOf(page, fences) : [];
      assert.equal(problems.join('\n'), '', page);
    });

  test('is run in more than 100 fences', () => {
    const run = pages.flatMap(({ fences }) => fences.filter(isRun));
    assert.ok(run.length > 100, `${run.length} fences are run`);
  });
});
