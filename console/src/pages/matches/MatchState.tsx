import { State } from '../../components/State';

export function MatchState({ match }: { match: { endedAt: string | null } }) {
  return match.endedAt === null ? <State tone="good">Running</State> : <State>Ended</State>;
}
