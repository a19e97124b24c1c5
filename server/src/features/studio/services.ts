import { createLoginThrottle, createSecondFactorThrottle } from '../../security/guess-throttle.ts';
import { createSignUpBudget } from '../../security/sign-up-budget.ts';
import type { BaseServices, CloseLater } from '../base-services.ts';
import { createAccountMailBudget, listEndedSessions } from './accounts/index.ts';
import { createPayerBudget } from './paid-keys/index.ts';
import { openKeyAuthenticator } from './tenant-keys/index.ts';
import { createActiveTenants, createProviderSettings } from './tenants/index.ts';
import { createMemberships } from './workspaces/index.ts';

export function openStudioServices(
  { database, changes, vault, createBudget }: BaseServices,
  config: { mockProvider: boolean },
  closeLater: CloseLater,
) {
  return {
    memberships: createMemberships(database, changes),
    keys: closeLater(openKeyAuthenticator(database, vault, changes, createBudget)),
    providerSettings: createProviderSettings(database, changes, vault, config),
    isActiveTenant: createActiveTenants(database, changes),
    endedSessions: (sessionIds: string[]) => listEndedSessions(database, sessionIds),
    accountLoginThrottle: createLoginThrottle(createBudget, 'accounts'),
    accountSignUpBudget: createSignUpBudget(createBudget, 'accounts'),
    secondFactorThrottle: createSecondFactorThrottle(createBudget),
    accountMailBudget: createAccountMailBudget(createBudget),
    payerBudget: createPayerBudget(createBudget),
  };
}
