import { shortenId } from '../../components/format';
import type { WalletEntry } from './queries';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The number of a player, by which the ledger can be filtered, and the name. A player of a wallet login is named by the address. */
export function WalletPlayer({ playerIndex, playerId }: Pick<WalletEntry, 'playerIndex' | 'playerId'>) {
  if (playerId === null) return playerIndex;
  if (!ADDRESS.test(playerId)) return `${playerIndex} · ${playerId}`;
  return (
    <span data-tip={playerId}>
      {playerIndex} · {shortenId(playerId)}
    </span>
  );
}
