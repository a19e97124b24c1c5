import { timingSafeEqual } from 'node:crypto';
import type { KeyCaller } from '../../../core/callers.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/** The providers whose credential is a single token. */
export const tokenProviders = ['StoreA', 'StoreB', 'WalletJwt', 'Mock'] as const satisfies Provider[];
export type TokenProvider = (typeof tokenProviders)[number];

/** The names of the providers in the login ledger. */
export const ledgerNames: Record<Provider, string> = {
  StoreA: 'store_a',
  StoreB: 'store_b',
  WalletJwt: 'wallet_jwt',
  EvmWallet: 'evm_wallet',
  EmailOneTimeCode: 'email',
  EmailPassword: 'email',
  Mock: 'mock',
};

/** A player as a provider identifies them. It contains nothing that a tenant can choose. */
export interface Identity {
  provider: Provider;
  /** The namespace of the user id: the workspace for Mock, the issuer for WalletJwt. Empty for all others. */
  issuer: string;
  providerUserId: string;
  username?: string;
  email?: string;
  displayName?: string;
  /** WalletJwt only: the wallet address from the token. */
  walletAddress?: string;
  /** Mock only: the fingerprint of the password. The first sign-in stores it, and later sign-ins must match it. */
  secretHash?: Buffer;
}

/** Whether an identity has the stored secret. Always true for providers without a secret. */
export function hasSecret({ secretHash }: Identity, stored: Buffer | null): boolean {
  return !secretHash || (stored !== null && timingSafeEqual(secretHash, stored));
}

/**
 * Whether the credential of a new player proves no identity: the first sign-in with Mock sets the password, and a password may be for
 * an email address that nobody has verified.
 */
export function isSelfAsserted({ provider }: Identity): boolean {
  return provider === 'Mock' || provider === 'EmailPassword';
}

/** The tenant whose provider settings apply to a token. */
type TenantOfToken = Pick<KeyCaller, 'tenantId' | 'workspaceId'>;

/** The source of a token: the tenant, and the address of the client. */
export type TokenSource = TenantOfToken & { ipAddress: string | null };

/** Verifies tokens of one provider. `PUT …/providers/{provider}` has validated the settings. */
export type ProviderVerifier<Settings> = (
  settings: Settings,
  token: string,
  tenant: TenantOfToken,
) => Promise<Identity>;
