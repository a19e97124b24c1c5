import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Returns the path of the EVM node `anvil`: in the package for this platform, or in the main package, into which the
 * installer puts it otherwise. Undefined if there is none for this platform.
 */
export function findAnvil(): string | undefined {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const folder = require.resolve('@foundry-rs/anvil/package.json').replace(/package\.json$/, '');
  const candidates = [`${folder}../anvil-${process.platform}-${architecture}/bin/anvil`, `${folder}anvil`];
  return candidates.find((candidate) => existsSync(candidate));
}
