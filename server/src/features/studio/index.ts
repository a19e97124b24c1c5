import { behind, job, openToAnyone } from '../feature-group.ts';
import {
  accountMailRoutes,
  accountResetQueue,
  accountSessionRoutes,
  deleteExpiredAccountTokens,
  mailAccountReset,
  ownAccountRoutes,
  secondFactorRoutes,
  totpRoutes,
} from './accounts/index.ts';
import {
  deleteOldInvitations,
  invitationRoutes,
  memberRoutes,
  ownInvitationRoutes,
} from './members/index.ts';
import { paidKeyRoutes } from './paid-keys/index.ts';
import { tenantKeyRoutes } from './tenant-keys/index.ts';
import { providerRoutes, tenantRoutes } from './tenants/index.ts';
import { planRoutes, platformWorkspaceRoutes, workspaceRoutes } from './workspaces/index.ts';

/** The studio's side: console accounts, workspaces with their teams, and games with their keys and sign-in providers. */
export const studio = {
  routes: [
    openToAnyone(accountSessionRoutes, accountMailRoutes, secondFactorRoutes, invitationRoutes),
    behind(
      'account',
      ownAccountRoutes,
      totpRoutes,
      ownInvitationRoutes,
      workspaceRoutes,
      memberRoutes,
      tenantRoutes,
      providerRoutes,
      tenantKeyRoutes,
      paidKeyRoutes,
    ),
    behind('platformAdmin', planRoutes, platformWorkspaceRoutes),
  ],
  jobs: [job(accountResetQueue, mailAccountReset)],
  expiry: { ofPlatform: [deleteExpiredAccountTokens, deleteOldInvitations] },
};
