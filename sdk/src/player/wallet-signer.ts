import type { Api } from '../core/api-types.ts';

/** A wallet that signs texts, as `personal_sign` does. */
export interface WalletSigner {
  address: string;
  chainId?: number | undefined;
  sign(message: string): Promise<string>;
}

/** Requests a message for a wallet, and lets the wallet sign it. */
export async function signChallenge(
  open: Api,
  path: '/api/player-auth/wallet/challenge' | '/api/player-portal-auth/wallet/challenge',
  wallet: WalletSigner,
): Promise<{ message: string; signature: string }> {
  const { address, chainId } = wallet;
  const { message } = await open.POST(path, {
    body: { address, ...(chainId !== undefined && { chainId }) },
  });
  return { message, signature: await wallet.sign(message) };
}
