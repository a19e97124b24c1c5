import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { codeHash } from './code-hash.ts';
import { countTry, type CodeName } from './queries.ts';

const TRIES = 5;

/**
 * Compares what somebody says with a live code, of a tenant or of the portal; whoever uses it then deletes it. The try is
 * counted first, so that parallel guesses are five at most, too. Throws invalid_credentials.
 */
export async function tryCode(
  { database, vault }: { database: Database; vault: Vault },
  tenantId: string,
  which: CodeName,
  code: string,
): Promise<{ codeId: string; email: string }> {
  const live = await countTry(database.forTenant(tenantId), tenantId, which, TRIES);
  const given = codeHash(vault, { tenantId, email: live?.email ?? '' }, code);
  if (!live?.codeHash || !timingSafeEqual(live.codeHash, given)) throw wrongCode();
  return live;
}

/** One answer for every code that does not work, whatever the reason. */
export function wrongCode(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The code is wrong, was used, or has expired. Request a new one.',
  );
}
