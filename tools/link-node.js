/**
 * Links the Node of the installed platform package as node_modules/.bin/node, which `npm run` finds first. npm 11 does this itself.
 * npm 10 removes the link again, when it discards the packages of the other platforms, which have a command of the same name
 * (docs/decisions/0052-node-from-the-lock-file.md). Runs on the machine's own Node, so it is JavaScript.
 */
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { arch, platform } from 'node:os';

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
}
