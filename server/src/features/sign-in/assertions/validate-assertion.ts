import type { Database } from '../../../database/database.ts';
import type { AssertionCaller, BearerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { requireAllowedPlayer } from '../sessions/index.ts';
import { findSubject } from './queries.ts';

/**
 * Returns the content of an assertion that is valid for this tenant and audience. Throws wrong_token_scope, tenant_mismatch,
 * audience_mismatch, player_inactive and player_banned.
 */
export async function validateAssertion(
  database: Database,
  tenantId: string,
  bearer: BearerCaller,
  audience: string | undefined,
): Promise<AssertionCaller> {
  if (bearer.kind === 'third_party')
    throw new ProblemError(
      'invalid_bearer',
      'This endpoint needs an assertion as the bearer token, and not the refresh token of a third party.',
    );
  if (bearer.kind !== 'assertion')
    throw new ProblemError('wrong_token_scope', 'This endpoint needs an assertion as the bearer token.');
  if (bearer.tenantId !== tenantId) throw new ProblemError('tenant_mismatch');
  if (bearer.audience !== audience) throw new ProblemError('audience_mismatch');
  requireAllowedPlayer(
    await findSubject(database.forTenant(tenantId), tenantId, { playerId: bearer.playerId }),
  );
  return bearer;
}
