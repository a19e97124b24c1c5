import type { Database } from '../../../database/database.ts';
import type { AssertionCaller, BearerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findSubject } from './queries.ts';
import { refuseUnlessAllowed } from './refuse-unless-allowed.ts';

/**
 * What an assertion says, if it is good for this tenant and audience and its player may still play. Throws
 * wrong_token_scope, tenant_mismatch, audience_mismatch, player_inactive, player_banned.
 */
export async function validateAssertion(
  database: Database,
  tenantId: string,
  bearer: BearerCaller,
  audience: string | undefined,
): Promise<AssertionCaller> {
  if (bearer.kind === 'third_party') throw new ProblemError('invalid_bearer');
  if (bearer.kind !== 'assertion')
    throw new ProblemError('wrong_token_scope', 'This endpoint needs an assertion as the bearer token.');
  if (bearer.tenantId !== tenantId) throw new ProblemError('tenant_mismatch');
  if (bearer.audience !== audience) throw new ProblemError('audience_mismatch');
  refuseUnlessAllowed(await findSubject(database.forTenant(tenantId), tenantId, bearer.playerId));
  return bearer;
}
