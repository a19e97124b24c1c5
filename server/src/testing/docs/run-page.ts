import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileNameOf, type Fence } from './read-page.ts';

/** An answer to a `curl` of a page. */
interface PageAnswer {
  /** The line of the fence. */
  line: number;
  status: number;
  body: string;
}

export interface PageRun {
  exitCode: number | null;
  /** The line of the fence that ran last. */
  line: number;
  output: string;
  /** In the order of the requests. */
  answers: PageAnswer[];
}

interface PageOptions {
  /** An empty folder, in which the commands run. */
  folder: string;
  /** The variables of the page, and IDLE_URL, which answers when the worker has nothing to do. */
  env: Record<string, string>;
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** The files in the folder of a page's commands: the project, as in a clone. */
const LINKED = ['package.json', 'node_modules', 'server', 'sdk', 'examples', 'docs'];

/** A page takes up to 80 seconds on a busy machine. */
const TIMEOUT_MS = 200_000;

/**
 * A `curl` that records each answer. A stream ends after two seconds, because the pages show it without an end.
 */
const CURL = `#!/usr/bin/env bash
record=$ANSWERS/$(date +%s%N).$FENCE
limit=20
for option in "$@"; do case $option in -sSN | -N) limit=2 ;; esac; done
/usr/bin/env -u RECORDED PATH="$REAL_PATH" curl --max-time $limit -D "$record.head" "$@" | tee "$record.body"
code=\${PIPESTATUS[0]}
[ $limit = 2 ] && [ $code = 28 ] && code=0
exit $code
`;

/** Pages sleep while the worker writes a mail. This `sleep` waits for exactly that. */
const SLEEP = `#!/usr/bin/env bash
PATH="$REAL_PATH" exec curl -sS "$IDLE_URL"
`;

/**
 * Runs the shell and program fences of a page in their order, in one shell, in a folder that looks like a clone. A fence that
 * begins with the name of a file is written to that file. The run stops at the first command that fails.
 */
export async function runPage(fences: Fence[], { folder, env }: PageOptions): Promise<PageRun> {
  const [tools, answers] = [join(folder, '.tools'), join(folder, '.answers')];
  await mkdir(tools, { recursive: true });
  await mkdir(answers);
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name));
  for (const [name, text] of Object.entries({ curl: CURL, sleep: SLEEP })) {
    await writeFile(join(tools, name), text);
    await chmod(join(tools, name), 0o755);
  }

  const lines = ['set -euo pipefail'];
  for (const [index, fence] of fences.entries())
    lines.push(`export FENCE=${fence.line}`, 'echo "$FENCE" > .fence', await scriptOf(fence, index, folder));
  const script = join(folder, '.page.sh');
  await writeFile(script, lines.join('\n'));

  const path = process.env['PATH'] ?? '';
  const child = spawn('bash', [script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      HOME: folder,
      REAL_PATH: path,
      PATH: `${tools}:${join(ROOT, 'node_modules', '.bin')}:${path}`,
      ANSWERS: answers,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      npm_config_update_notifier: 'false',
      ...env,
    },
    // A group of its own, so that programs which a page starts end with it.
    detached: true,
  });
  const endAll = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  const timeout = setTimeout(endAll, TIMEOUT_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  clearTimeout(timeout);
  endAll();
  return {
    exitCode,
    line: Number(await readFile(join(folder, '.fence'), 'utf8').catch(() => '0')),
    output,
    answers: await readAnswers(answers),
  };
}

/** The commands that run a fence. */
async function scriptOf(fence: Fence, index: number, folder: string): Promise<string> {
  const name = fileNameOf(fence);
  if (fence.language === 'sh') return fence.code;
  const file = name ?? `fence-${index}.${fence.language === 'ts' ? 'mts' : 'mjs'}`;
  await writeFile(join(folder, file), fence.code);
  return name ? '' : `node ${file}`;
}

async function readAnswers(folder: string): Promise<PageAnswer[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.head')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const head = await readFile(join(folder, name), 'utf8');
      const [, line = '0'] = name.split('.');
      return {
        line: Number(line),
        status: Number([...head.matchAll(/^HTTP\/\S+ (\d{3})/gm)].at(-1)?.[1] ?? 0),
        body: await readFile(join(folder, name.replace('.head', '.body')), 'utf8'),
      };
    }),
  );
}
