import { choicesOf } from '../../components/format';
import type { ProviderName } from './queries';

export const providerNames: Record<ProviderName, string> = {
  StoreA: 'Store A',
  StoreB: 'Store B',
  WalletJwt: 'Wallet JWT',
  EvmWallet: 'EVM wallet',
  EmailOneTimeCode: 'Email code',
  EmailPassword: 'Email and password',
  Mock: 'Mock',
};

export const providerChoices = choicesOf(Object.entries(providerNames));

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
