import { TextLink } from '../../components/links';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Panel } from '../../components/Page';
import { firstPlayersQuery } from './queries';

/** Leads a game without players to its first steps. */
export function FirstStep({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(firstPlayersQuery(tenantId));
  if (!data || data.totalCount > 0) return null;
  return (
    <Panel>
      <Text size="sm">
        Nobody has signed in to this game yet.{' '}
        <TextLink to="/games/$tenantId/first-run" params={{ tenantId }} inherit>
          Sign in a first player in three steps
        </TextLink>
      </Text>
    </Panel>
  );
}
