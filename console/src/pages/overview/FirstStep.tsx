import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGame } from '../../app/game';
import { TextLink } from '../../components/links';
import { Panel } from '../../components/Page';
import type { RangeName } from '../../components/range';
import { firstPlayersQuery } from '../first-run/queries';
import { signInsQuery } from './queries';

/** Leads a game without players to its first steps. A game with sign-ins in the time range has players. */
export function FirstStep({ range }: { range: RangeName }) {
  const { id: tenantId } = useGame();
  const signIns = useQuery(signInsQuery(tenantId, range)).data;
  const isQuiet = signIns?.totalLogins === 0;
  const players = useQuery({ ...firstPlayersQuery(tenantId), enabled: isQuiet }).data;
  if (!isQuiet || players?.totalCount !== 0) return null;
  return (
    <Panel>
      <Text>
        Nobody has signed in to this game yet.{' '}
        <TextLink to="/games/$tenantId/first-run" params={{ tenantId }} inherit underline="always">
          Sign in a first player in three steps
        </TextLink>
      </Text>
    </Panel>
  );
}
