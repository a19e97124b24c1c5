import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** To load the server takes about 2 seconds of processor time, so tests that start no programs of the project share a process. */
const FILES_PER_PROCESS = 12;

/** The tests of a browser take a minute a file. The process that starts last would run long after the others. */
const BROWSER_FILES_PER_PROCESS = 4;

/**
 * The paths of tests that start no programs of the project: `x.test.ts`, `x.api.test.ts`, `x.db.test.ts`, `x.redis.test.ts` or
 * `x.browser.test.ts`, if they are not about the repository.
 */
const STARTS_NO_PROGRAM =
  /^(src\/(?!testing\/)|\.\.\/(sdk|console)\/).*\/[^./]+(\.(api|db|redis|browser))?\.test\.ts$/;

/** Whether a test file may start a program of the project. */
export const startsPrograms = (file: string): boolean => !STARTS_NO_PROGRAM.test(file);

/**
 * The test files of each process, in the order in which the processes start. The processes of each top folder are distributed evenly
 * over the run. In the order of their names, several browsers would run at once, and then several files that start many servers. On a slow
 * machine they would delay each other beyond their time limits.
 */
export function planProcesses(files: string[]): string[][] {
  const folders = Object.groupBy(files, (file) => /^(\.\.\/)?[^/]+/.exec(file)![0]);
  return Object.values(folders)
    .map((inFolder = []) => shareProcesses(inFolder))
    .flatMap((processes) => processes.map((of, index) => ({ of, place: index / processes.length })))
    .toSorted((a, b) => a.place - b.place)
    .map(({ of }) => of);
}

function shareProcesses(files: string[]): string[][] {
  const {
    alone = [],
    browser = [],
    others = [],
  } = Object.groupBy(files, (file) =>
    startsPrograms(file) ? 'alone' : file.includes('.browser.') ? 'browser' : 'others',
  );
  return [
    ...chunksOf(1, alone),
    ...chunksOf(BROWSER_FILES_PER_PROCESS, browser),
    ...chunksOf(FILES_PER_PROCESS, others),
  ].toSorted(([a], [b]) => (a! < b! ? -1 : 1));
}

const chunksOf = (size: number, files: string[]): string[][] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  );

/**
 * Writes the module that a process starts with into a folder, and returns its path. A test of the module is a test file: it ends with the
 * `after` hooks of the file, and then the next file is loaded. A file that has not ended after `timeoutMs` fails.
 */
export async function writeProcessModule(
  folder: string,
  name: string,
  files: string[],
  { root, timeoutMs }: { root: string; timeoutMs: number },
) {
  const path = join(folder, `${name}.mjs`);
  const tests = files.map((file) => {
    const url = pathToFileURL(join(root, file)).href;
    return `test(${JSON.stringify(file)}, { timeout: ${timeoutMs} }, () => import(${JSON.stringify(url)}));\n`;
  });
  await writeFile(path, `import { test } from 'node:test';\n${tests.join('')}`);
  return path;
}
