import type { BillingContext } from '../../../core/billing-context.ts';
import type { Querier } from '../../../database/database.ts';

/** A login request without the credential. */
export interface SignInRequest {
  /** The tenant of the sign-in, and the workspace that is billed. */
  billing: BillingContext;
  ipAddress: string | null;
  /** `new-or-existing` accepts new and existing players. `only-existing` throws player_not_found, `only-new` throws player_exists. */
  mode: 'new-or-existing' | 'only-existing' | 'only-new';
  profileVisibility?: string | undefined;
  /**
   * Runs first in the transaction of the sign-in, for example to use a code up or to lock a credential. It can refuse the sign-in by
   * throwing. It runs again in each retry.
   */
  inTransaction?: (transaction: Querier, playerId: string) => Promise<void>;
  deviceInfo?:
    | {
        deviceFingerprint: string;
        hardwareModel?: string;
        osVersion?: string;
        metadata?: Record<string, unknown>;
      }
    | undefined;
  clientInfo?:
    | { platform: string; clientVersion?: string; clientBuild?: string; metadata?: Record<string, unknown> }
    | undefined;
}

/** The sign-in request of a body that may create the player, and of the source of its HTTP request. */
export function toSignInRequest<Body extends { createAccountIfMissing: boolean }, Source>(
  { createAccountIfMissing, ...body }: Body,
  source: Source,
) {
  const mode: SignInRequest['mode'] = createAccountIfMissing ? 'new-or-existing' : 'only-existing';
  return { ...body, ...source, mode };
}
