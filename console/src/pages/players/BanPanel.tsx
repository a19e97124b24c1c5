import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Facts, Panel } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { playerBansQuery, type Player } from './queries';

interface BanPanelProps {
  tenantId: string;
  playerId: string;
  ban: NonNullable<Player['ban']>;
}

/** The active ban of a player: its end and reason at once, and who banned when its record has arrived. */
export function BanPanel({ ban, ...path }: BanPanelProps) {
  const { data } = useInfiniteQuery(playerBansQuery(path));
  const record = data?.pages[0]?.items.find(({ liftedAt }) => liftedAt === null);
  return (
    <Panel title="Ban">
      <Stack gap="sm">
        <Facts
          facts={{
            Banned: record ? <RelativeTime at={record.bannedAt} /> : '–',
            'Banned by': record ? (record.bannedByEmail ?? 'A former member') : '–',
            Ends: ban.until === null ? 'When it is lifted' : <RelativeTime at={ban.until} />,
          }}
        />
        {ban.reason && <Text>Reason: {ban.reason}</Text>}
        {record?.note && <Text style={{ whiteSpace: 'pre-wrap' }}>Note: {record.note}</Text>}
      </Stack>
    </Panel>
  );
}
