/**
 * Links the Node of the installed platform package as node_modules/.bin/node, which `npm run` finds first. npm 11 does this itself.
 * npm 10 removes the link again, when it discards the packages of the other platforms, which have a command of the same name
 * (docs/decisions/0052-node-from-the-lock-file.md). Runs on the machine's own Node, so it is JavaScript.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The first minor versions whose `node:crypto` has randomUUIDv7, as in `engines` of server/package.json. Node 25 never got it. */
const OLDEST_MINOR = { 24: 16, 26: 1 };

function runsOnThisNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 26 || minor >= OLDEST_MINOR[major];
}

const folder = new URL('../node_modules/', import.meta.url);
const name = [`node-${platform()}-${arch()}`, `node-bin-${platform()}-${arch()}`].find((candidate) =>
  existsSync(new URL(`${candidate}/bin/node`, folder)),
);
// Without the optional packages, npm runs the machine's Node.
if (name) {
  const link = new URL('.bin/node', folder);
  mkdirSync(new URL('.bin/', folder), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(`../${name}/bin/node`, link);
  const { status, stderr, error } = spawnSync(fileURLToPath(link), ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    console.error(`The Node of the package ${name} does not start: ${(stderr || String(error)).trim()}`);
    if (runsOnThisNode()) {
      rmSync(link);
      console.error(`Guildhall runs on the Node of this machine: ${process.version}.`);
    } else {
      console.error(
        'Install the library that is missing, and run the command again. On a small Linux system it is libatomic:\n' +
          '  Debian, Ubuntu: apt-get install libatomic1\n' +
          '  Fedora, RHEL:   dnf install libatomic',
      );
      process.exitCode = 1;
    }
  }
}
