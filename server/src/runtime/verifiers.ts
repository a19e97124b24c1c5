import type { Database } from '../database/database.ts';
import { identifyBearer } from '../features/sign-in/assertions/index.ts';
import { existsUnmerged, mayUseProfile } from '../features/players/profiles/index.ts';
import { playerOfClaims } from '../features/sign-in/tokens/index.ts';
import type { TokenSigner } from '../features/platform/signing-keys/index.ts';
import { isPlatformAdmin } from '../features/studio/accounts/index.ts';
import type { KeyAuthenticator } from '../features/studio/tenant-keys/index.ts';
import type { Memberships } from '../features/studio/workspaces/index.ts';
import type { Verifiers } from '../http/credentials/credential-checks.ts';

interface VerifierServices {
  config: { profileProof: boolean };
  database: Database;
  signer: TokenSigner;
  keys: KeyAuthenticator;
  memberships: Memberships;
  isActiveTenant(tenantId: string): Promise<boolean>;
  endedSessions(sessionIds: string[]): Promise<string[]>;
}

/** Verifies keys and tokens, and reads the callers from their claims. */
export function createVerifiers({
  config,
  database,
  signer,
  keys,
  memberships,
  isActiveTenant,
  endedSessions,
}: VerifierServices): Verifiers {
  const isOpen = async (sessionId: string): Promise<boolean> =>
    (await endedSessions([sessionId])).length === 0;
  return {
    key: keys.authenticate,
    async player(token) {
      const claims = await signer.verify('player', token);
      return claims?.sub ? playerOfClaims(claims) : undefined;
    },
    async wallet(token) {
      const claims = await signer.verify('wallet', token);
      if (!claims) return undefined;
      const tenantId = claims['tid'] as string;
      if (!(await isActiveTenant(tenantId))) return undefined;
      return {
        tenantId,
        playerIndex: claims['idx'] as number,
        playerId: claims.sub,
        isVerified: claims['verified'] as boolean,
      };
    },
    async account(token) {
      const claims = await signer.verify('saas', token);
      if (!claims) return undefined;
      const { sub: accountId, exp } = claims;
      const sessionId = claims['sid'] as string;
      if (!(await isOpen(sessionId))) return undefined;
      return { accountId, sessionId, expiresAtMs: exp * 1000 };
    },
    isOpen: ({ sessionId }) => isOpen(sessionId),
    bearer: (token) => identifyBearer(signer, token),
    hasProfile: (playerId) => existsUnmerged(database, playerId),
    mayUseProfile: (caller) => mayUseProfile({ database, config }, caller),
    role: memberships.role,
    platformAdmin: (accountId) => isPlatformAdmin(database.forAccount(accountId), accountId),
  };
}
