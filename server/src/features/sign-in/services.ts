import { createLoginThrottle, createOneTimeCodeThrottle } from '../../security/guess-throttle.ts';
import { createSignUpBudget } from '../../security/sign-up-budget.ts';
import type { BaseServices, CloseLater } from '../base-services.ts';
import type { ProviderSettings } from '../studio/tenants/index.ts';
import { createMailBudget } from './email/index.ts';
import { createLoginBatchers, createTokenVerifier } from './login/index.ts';
import { createPortalStartBudget, createStoreAOpenId } from './portal/index.ts';
import { createRefreshBatcher } from './tokens/index.ts';
import { createChallengeBudget, createContractWallets } from './wallet/index.ts';

interface SignInConfig {
  allowPrivateAddresses: boolean;
  portalUrl: string | undefined;
  refreshTokenDays: number;
  storeAUrl: string | undefined;
  storeAOpenIdUrl: string | undefined;
  storeBUrl: string | undefined;
  walletRpcUrls: ReadonlyMap<number, string>;
}

export function openSignInServices(
  services: BaseServices & { providerSettings: ProviderSettings },
  config: SignInConfig,
  closeLater: CloseLater,
) {
  const { database, vault, outbound, createBudget, providerSettings, issuer } = services;
  const { storeAOpenIdUrl: openIdUrl, portalUrl = issuer, walletRpcUrls } = config;
  return {
    logins: closeLater(createLoginBatchers({ database, vault, config })),
    refreshes: closeLater(createRefreshBatcher(database)),
    verifyToken: createTokenVerifier({ providerSettings, vault, createBudget, outbound, config }),
    storeAOpenId: openIdUrl ? createStoreAOpenId(outbound.operator, { openIdUrl, portalUrl }) : undefined,
    portalStartBudget: createPortalStartBudget(createBudget),
    playerLoginThrottle: createLoginThrottle(createBudget, 'players'),
    playerSignUpBudget: createSignUpBudget(createBudget, 'players'),
    codeThrottle: createOneTimeCodeThrottle(createBudget),
    mailBudget: createMailBudget(createBudget),
    challengeBudget: createChallengeBudget(createBudget),
    contractWallets: createContractWallets(walletRpcUrls, outbound.operator, createBudget),
  };
}
