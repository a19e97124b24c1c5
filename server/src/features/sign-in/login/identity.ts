import { timingSafeEqual } from 'node:crypto';
import type { KeyCaller } from '../../../core/callers.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/** The providers whose credential is a single token (spec: providers, flow "shared login"). */
export const tokenProviders = ['StoreA', 'StoreB', 'WalletJwt', 'Mock'] as const satisfies Provider[];
export type TokenProvider = (typeof tokenProviders)[number];

/** The providers' names in the session ledgers (spec: session records). */
export const ledgerNames: Record<Provider, string> = {
  StoreA: 'store_a',
  StoreB: 'store_b',
  WalletJwt: 'wallet_jwt',
  EvmWallet: 'evm_wallet',
  EmailOneTimeCode: 'email',
  EmailPassword: 'email',
  Mock: 'mock',
};

/** Who a provider says somebody is. Nothing that a tenant can write takes part in it. */
export interface Identity {
  provider: Provider;
  /** Within what the user id is unique: the workspace for Mock, the issuer for WalletJwt, else empty. */
  issuer: string;
  providerUserId: string;
  username?: string;
  email?: string;
  displayName?: string;
  /** WalletJwt only: the address of the wallet, as the issuer tells it. */
  walletAddress?: string;
  /** Mock only: the fingerprint of the password, set by the first sign-in and compared by later ones. */
  secretHash?: Buffer;
}

/** Whether an identity that needs a secret brings the one that is known. */
export function hasSecret({ secretHash }: Identity, known: Buffer | null): boolean {
  return !secretHash || (known !== null && timingSafeEqual(secretHash, known));
}

/** The tenant whose settings of a provider count. */
export type TenantOfToken = Pick<KeyCaller, 'tenantId' | 'workspaceId'>;
