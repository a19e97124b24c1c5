import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAnvil } from './anvil.ts';
import { findChromium } from './chromium.ts';

const isCi = process.env['CI'] === 'true';
const DUCKDB = fileURLToPath(new URL('../../../node_modules/@duckdb/node-api', import.meta.url));
const NOT_INSTALLED = `which npm did not install for ${process.platform} on ${process.arch}`;

/** What the test files with an ending need. */
interface Requirement {
  ending: string;
  /** What is missing, to complete the sentence "3 test files need …". Undefined if nothing is. */
  findMissing: () => string | undefined;
  /** Whether a run without it fails. Otherwise the files are skipped with a line. */
  isRequired: boolean;
}

const requirements: Requirement[] = [
  programs('.redis.test.ts', 'redis-server'),
  programs('.nginx.test.ts', 'nginx'),
  programs('.mono.test.ts', 'mono', 'mcs'),
  programs('.faketime.test.ts', 'faketime'),
  // The commands of the documentation.
  programs('.shell.test.ts', 'bash', 'curl', 'openssl', 'python3'),
  {
    ending: '.browser.test.ts',
    findMissing: () =>
      findChromium() ? undefined : 'Chromium (on Debian: apt-get install chromium-headless-shell)',
    isRequired: isCi,
  },
  {
    ending: '.evm.test.ts',
    findMissing: () => (findAnvil() ? undefined : `anvil, ${NOT_INSTALLED}`),
    // The lock file has it for Linux only.
    isRequired: isCi && process.platform === 'linux',
  },
  {
    // The archive of events needs an optional package. It has no binary for some systems.
    ending: '.duckdb.test.ts',
    findMissing: () => (existsSync(DUCKDB) ? undefined : `@duckdb/node-api, ${NOT_INSTALLED}`),
    isRequired: isCi,
  },
  {
    // A cluster cannot be started here.
    ending: '.citus.test.ts',
    findMissing: () =>
      process.env['TEST_CITUS_URL'] ? undefined : 'TEST_CITUS_URL, a cluster of Citus (see CONTRIBUTING.md)',
    isRequired: false,
  },
];

function programs(ending: string, ...names: string[]): Requirement {
  return {
    ending,
    findMissing: () => {
      const missing = names.filter((name) => !isInstalled(name)).join(' ');
      return missing ? `${missing} (on Debian: apt-get install ${missing})` : undefined;
    },
    isRequired: isCi,
  };
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Returns the files whose requirements are met. Prints why others are skipped, and ends the process if one of them is required. */
export function withRequirements(files: string[]): string[] {
  return requirements.reduce((remaining, { ending, findMissing, isRequired }) => {
    const affected = remaining.filter((file) => file.endsWith(ending));
    const missing = affected.length === 0 ? undefined : findMissing();
    if (missing === undefined) return remaining;
    const message = `${affected.length} test files need ${missing}.`;
    if (isRequired) {
      console.error(message);
      process.exit(1);
    }
    console.log(`SKIPPED: ${message}`);
    return remaining.filter((file) => !affected.includes(file));
  }, files);
}
