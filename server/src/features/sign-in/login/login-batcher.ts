import { billingGroup } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { createBatcher, type Batcher } from '../../../database/batcher.ts';
import type { Database } from '../../../database/database.ts';
import { newRefreshToken, type NewRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { loginRowHashParts } from '../sessions/index.ts';
import { banFingerprint } from './bans.ts';
import { writeKnownLogins, type UnidentifiedLogin } from './batch-queries.ts';
import { ledgerNames, type Identity } from './identity.ts';
import type { FoundPlayer } from './queries.ts';
import type { SignInRequest } from './sign-in-request.ts';

/** The tokens of a login that was written, or what was found instead. */
export type LoginOutcome =
  | { signedIn: { playerId: string; sessionId: string; refreshToken: string } }
  | { found: FoundPlayer };

interface LoginItem {
  identity: Identity;
  request: SignInRequest;
}

export type LoginBatcher = Batcher<LoginItem, LoginOutcome>;

/**
 * Creates the batcher that signs in existing players. It leaves out every sign-in that is new or contested in any way
 * ({@link writeKnownLogins}).
 */
export function createLoginBatcher(database: Database, vault: Vault): LoginBatcher {
  return createBatcher<LoginItem, LoginOutcome>({
    groupOf: ({ request: { billing } }) => billingGroup(billing),
    async write(items) {
      const { billing } = items[0]!.request;
      const at = now();
      const logins = items.map(({ identity, request }) => {
        const refreshToken = newRefreshToken(vault, 'refresh');
        return buildLogin(vault, identity, request, at, refreshToken);
      });
      const outcomes = await writeKnownLogins(database.forBatch(billing.tenantId), billing, at, logins);
      return outcomes.map((outcome, place) => {
        if ('found' in outcome) return { answer: outcome };
        const { sessionId, refreshToken } = logins[place]!;
        items[place]!.request.billing.chargedTransactions++;
        return { answer: { signedIn: { ...outcome.signedIn, sessionId, refreshToken: refreshToken.token } } };
      });
    },
  });
}

function buildLogin(
  vault: Vault,
  identity: Identity,
  { billing: { tenantId }, ipAddress, deviceInfo, clientInfo }: SignInRequest,
  at: string,
  refreshToken: NewRefreshToken,
) {
  const row = {
    sessionId: newId(),
    ledgerId: newId(),
    authProvider: ledgerNames[identity.provider],
    platform: clientInfo?.platform ?? 'Unknown',
    clientVersion: clientInfo?.clientVersion ?? null,
    clientBuild: clientInfo?.clientBuild ?? null,
    ipAddress,
    metadata: clientInfo?.metadata ?? {},
  };
  return {
    ...row,
    identity,
    banFingerprint: banFingerprint(vault, tenantId, identity),
    device: deviceInfo
      ? {
          fingerprint: deviceInfo.deviceFingerprint,
          hardwareModel: deviceInfo.hardwareModel ?? null,
          osVersion: deviceInfo.osVersion ?? null,
          metadata: deviceInfo.metadata ?? null,
        }
      : null,
    hashParts: loginRowHashParts({ ...row, tenantId, id: row.ledgerId, occurredAt: at, createdAtGl: at }),
    refreshToken,
  } satisfies UnidentifiedLogin;
}
