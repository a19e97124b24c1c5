import { State } from '../../components/State';
import type { ListedPlayer } from './queries';

export function PlayerState({
  player,
}: {
  player: Pick<ListedPlayer, 'ban' | 'isActive' | 'hiddenFromDiscovery'>;
}) {
  if (!player.isActive) return <State>Deleted</State>;
  if (player.ban) return <State tone="bad">Banned</State>;
  if (player.hiddenFromDiscovery) return <State tone="warn">Hidden</State>;
  return <State tone="good">Active</State>;
}
