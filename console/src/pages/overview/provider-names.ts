import { providerNames } from '../players/providers';

/** The session ledger has names of its own for the providers, and one for both of email. */
const LEDGER_NAMES: Record<string, string> = {
  store_a: providerNames.StoreA,
  store_b: providerNames.StoreB,
  wallet_jwt: providerNames.WalletJwt,
  evm_wallet: providerNames.EvmWallet,
  email: 'Email code or password',
  mock: providerNames.Mock,
};

export const ledgerProviderName = (name: string): string => LEDGER_NAMES[name] ?? name;
