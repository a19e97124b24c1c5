import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import type { WalletPlayer } from './ledger-state.ts';

const PLATFORM_TOKEN_SECONDS = 2 * 60 * 60;

/** The response to a login of a wallet-linked player (docs/wallet-recording.md). */
export interface WalletLoginResult {
  accessToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerIndex: number;
  playerId: string;
  address: string;
}

/** Signs the platform JWT of a player. It is valid only for the recording calls of one tenant. */
export function issueToken(
  signer: TokenSigner,
  tenantId: string,
  { playerIndex, playerId, address, isVerified }: Omit<WalletPlayer, 'score' | 'playerType'>,
): WalletLoginResult {
  const claims = { tid: tenantId, idx: playerIndex, verified: isVerified };
  return {
    accessToken: signer.sign('wallet', playerId, claims, PLATFORM_TOKEN_SECONDS),
    tokenType: 'Bearer',
    expiresIn: PLATFORM_TOKEN_SECONDS,
    playerIndex,
    playerId,
    address,
  };
}
