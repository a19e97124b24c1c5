import { behind, job, openToAnyone, type Expiry } from '../feature-group.ts';
import {
  assertionExchangeRoutes,
  assertionValidationRoutes,
  deleteExpiredThirdPartyTokens,
} from './assertions/index.ts';
import { signInChallengeRoutes } from './challenges/index.ts';
import {
  deleteExpiredCodesAndTokens,
  deletePendingCredentials,
  emailCodeRoutes,
  emailPasswordRoutes,
  emailPortalRoutes,
  emailVerificationRoutes,
  mailPortalCode,
  mailReset,
  passwordResetQueue,
  portalCodeQueue,
} from './email/index.ts';
import { playerLoginRoutes } from './login/index.ts';
import {
  deleteExpiredPortalRows,
  PORTAL_TENANT_ID,
  portalSessionRoutes,
  storeAPortalRoutes,
} from './portal/index.ts';
import { logoutRoutes } from './sessions/index.ts';
import { deleteExpiredTokens, playerVerificationRoutes, refreshRoutes } from './tokens/index.ts';
import { deleteExpiredChallenges, walletLoginRoutes, walletProofRoutes } from './wallet/index.ts';

/** How players sign in to games and to the player portal, stay signed in, and prove to others who they are. */
export const signIn = {
  routes: [
    behind(
      'gameKey',
      playerLoginRoutes,
      walletLoginRoutes,
      emailCodeRoutes,
      emailPasswordRoutes,
      signInChallengeRoutes,
      refreshRoutes,
    ),
    behind('gameKeyAndMaybePlayer', logoutRoutes),
    behind('gameKeyAndPlayer', playerVerificationRoutes, emailVerificationRoutes),
    behind('exchangeableToken', assertionExchangeRoutes),
    behind('assertion', assertionValidationRoutes),
    openToAnyone(storeAPortalRoutes, emailPortalRoutes, walletProofRoutes, portalSessionRoutes),
  ],
  jobs: [job(passwordResetQueue, mailReset), job(portalCodeQueue, mailPortalCode)],
  expiry: {
    ofTenant: [
      deleteExpiredTokens,
      deleteExpiredThirdPartyTokens,
      deleteExpiredChallenges,
      deleteExpiredCodesAndTokens,
    ],
    ofPlatform: [deleteExpiredPortalRows],
    global: [
      deletePendingCredentials,
      (database) => deleteExpiredCodesAndTokens(database.forTenant(PORTAL_TENANT_ID), PORTAL_TENANT_ID),
      (database) => deleteExpiredChallenges(database.forTenant(PORTAL_TENANT_ID), PORTAL_TENANT_ID),
    ],
  } satisfies Expiry,
};
