import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { SimulationError, type Answer, type Sender } from './api.ts';
import type { PlayerTraits, SimulatedProvider } from './players.ts';

/** A player's open session. */
export interface Session {
  playerId: string;
  tenantId: string;
  sessionId: string;
  accessToken: string;
  refreshToken: string;
  isNewPlayer: boolean;
}

export type SignIn = (
  player: PlayerTraits,
  options?: { wrongPassword?: boolean },
) => Promise<Session | Answer>;

/**
 * Signs players in with their own provider, or with another one if the tenant has not enabled it. Returns the answer of a
 * refusal. Throws {@link SimulationError} if the tenant has enabled no provider of the simulation.
 */
export function createSignIn(api: Sender): SignIn {
  const unavailable = new Set<SimulatedProvider>();

  const attempt = async (
    provider: SimulatedProvider,
    player: PlayerTraits,
    password: string,
  ): Promise<Answer> => {
    if (provider === 'Mock')
      return api.send('POST', '/api/player-auth/login', {
        provider,
        token: `mock:${player.username}:${password}`,
        ...player.origin,
      });
    const wallet = privateKeyToAccount(`0x${player.secret}` satisfies Hex);
    const challenge = await api.send('POST', '/api/player-auth/wallet/challenge', {
      address: wallet.address,
    });
    if (challenge.status !== 200) return challenge;
    const { message } = challenge.body as { message: string };
    const signature = await wallet.signMessage({ message });
    return api.send('POST', '/api/player-auth/wallet/verify', { message, signature, ...player.origin });
  };

  return async (player, { wrongPassword = false } = {}) => {
    const other = player.provider === 'Mock' ? 'EvmWallet' : 'Mock';
    for (const provider of [player.provider, other] as const) {
      if (unavailable.has(provider)) continue;
      const answer = await attempt(provider, player, wrongPassword ? 'wrong' : player.secret);
      if (answer.status === 200) return answer.body as Session;
      if (answer.body?.code !== 'provider_not_available') return answer;
      unavailable.add(provider);
    }
    throw new SimulationError(
      'The tenant has enabled neither Mock nor EvmWallet. Enable one of these sign-in providers.',
    );
  };
}
