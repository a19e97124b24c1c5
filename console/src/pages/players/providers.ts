import { choicesOf } from '../../components/format';
import type { AuthProvider } from './queries';

export const providerNames: Record<AuthProvider, string> = {
  StoreA: 'Store A',
  StoreB: 'Store B',
  WalletJwt: 'Wallet JWT',
  EvmWallet: 'EVM wallet',
  EmailOneTimeCode: 'Email code',
  EmailPassword: 'Email and password',
  Mock: 'Mock',
};

export const providerChoices = choicesOf(Object.entries(providerNames));
