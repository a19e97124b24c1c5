import assert from 'node:assert/strict';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Caller } from './http-client.ts';
import type { TestApp } from './test-app.ts';

/** A wallet that no player has. */
export const someWallet = () => privateKeyToAccount(generatePrivateKey());

/** A proof of identity by a wallet (docs/authentication.md#prove-who-you-are). */
export async function walletProof({ http }: Pick<TestApp, 'http'>, wallet: ReturnType<typeof someWallet>) {
  const { address } = wallet;
  const { status, body, text } = await http.post('/api/player-portal-auth/wallet/challenge', { address });
  assert.equal(status, 200, text);
  const { message } = body as { message: string };
  return { provider: 'EvmWallet', message, signature: await wallet.signMessage({ message }) };
}

/** Requests a challenge for a wallet, and returns it with the correct signature. */
export async function signChallenge({ http }: Pick<TestApp, 'http'>, caller: Caller, wallet = someWallet()) {
  const { address } = wallet;
  const { status, body, text } = await http.post('/api/player-auth/wallet/challenge', { address }, caller);
  assert.equal(status, 200, text);
  const { challengeId, nonce, message } = body as { challengeId: string; nonce: string; message: string };
  return { wallet, challengeId, nonce, message, signature: await wallet.signMessage({ message }) };
}
