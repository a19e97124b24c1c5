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
  /** Completes the sentence "3 test files need …". */
  what: string;
  isMet: () => boolean;
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
    what: 'Chromium (on Debian: apt-get install chromium-headless-shell)',
    isMet: () => findChromium() !== '',
    isRequired: isCi,
  },
  {
    ending: '.evm.test.ts',
    what: `anvil, ${NOT_INSTALLED}`,
    isMet: () => findAnvil() !== undefined,
    // The lock file has it for Linux only.
    isRequired: isCi && process.platform === 'linux',
  },
  {
    // The archive of events needs an optional package. It has no binary for some systems.
    ending: '.duckdb.test.ts',
    what: `@duckdb/node-api, ${NOT_INSTALLED}`,
    isMet: () => existsSync(DUCKDB),
    isRequired: isCi,
  },
  {
    // A cluster cannot be started here.
    ending: '.citus.test.ts',
    what: 'TEST_CITUS_URL, a cluster of Citus (see CONTRIBUTING.md)',
    isMet: () => Boolean(process.env['TEST_CITUS_URL']),
    isRequired: false,
  },
];

function programs(ending: string, ...names: string[]): Requirement {
  return {
    ending,
    what: `${names.join(' ')} (on Debian: apt-get install ${names.join(' ')})`,
    isMet: () => names.every(isInstalled),
    isRequired: isCi,
  };
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Returns the files whose requirements are met. Prints why others are skipped, and ends the process if one of them is required. */
export function withRequirements(files: string[]): string[] {
  return requirements.reduce((remaining, { ending, what, isMet, isRequired }) => {
    const affected = remaining.filter((file) => file.endsWith(ending));
    if (affected.length === 0 || isMet()) return remaining;
    const message = `${affected.length} test files need ${what}.`;
    if (isRequired) {
      console.error(message);
      process.exit(1);
    }
    console.log(`SKIPPED: ${message}`);
    return remaining.filter((file) => !affected.includes(file));
  }, files);
}
