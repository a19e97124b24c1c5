import { choicesOf } from '../../components/format';
import type { EntryKind, WalletEntry } from './queries';

const kindNames: Record<EntryKind, string> = {
  'player.added': 'Player added',
  'player.verified': 'Address verified',
  'player.scored': 'Player scored',
  'session.started': 'Session started',
  'session.ended': 'Session ended',
  'match.started': 'Match started',
  'record.added': 'Record added',
  'match.player_ended': 'Part ended',
  'match.ended': 'Match ended',
};

export const kindChoices = choicesOf(Object.entries(kindNames));

export const nameOfKind = (kind: string): string => kindNames[kind as EntryKind] ?? kind;

const SUMMARIES: Record<EntryKind, (body: Record<string, unknown>) => unknown[]> = {
  'player.added': ({ playerId, address }) => (playerId === address ? [playerId] : [playerId, address]),
  'player.verified': ({ address }) => [address],
  'player.scored': ({ score }) => [`Score ${String(score)}`],
  'session.started': ({ sessionId, device }) => [`Session ${String(sessionId)}`, device],
  'session.ended': ({ sessionId }) => [`Session ${String(sessionId)}`],
  'match.started': ({ matchSessionId, level }) => [`Match ${String(matchSessionId)}`, level],
  'record.added': ({ matchSessionId, key, value, score }) => [
    `Match ${String(matchSessionId)}`,
    `${String(key)}: ${String(value)}`,
    `score ${String(score)}`,
  ],
  'match.player_ended': ({ matchSessionId, score, matchPosition }) => [
    `Match ${String(matchSessionId)}`,
    `score ${String(score)}`,
    `place ${String(matchPosition)}`,
  ],
  'match.ended': ({ matchSessionId }) => [`Match ${String(matchSessionId)}`],
};

/** What an entry says, on one line. */
export function summarise({ kind, body }: Pick<WalletEntry, 'kind' | 'body'>): string {
  const parts = SUMMARIES[kind as EntryKind]?.(body) ?? [];
  return parts.filter((part) => part !== undefined).join(' · ');
}
