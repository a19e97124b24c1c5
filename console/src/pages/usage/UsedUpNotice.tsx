import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useGame } from '../../app/game';
import { formatNumber } from '../../components/format';
import { TextLink } from '../../components/links';
import { dayFormat } from './day-format';
import { quotaQuery } from './queries';
import classes from './UsedUpNotice.module.css';

/** Says on the pages of a game that its workspace may not use any more units. Otherwise the game looks as if it sent nothing. */
export function UsedUpNotice() {
  const { workspaceId } = useGame();
  const { data } = useQuery(quotaQuery(workspaceId));
  if (!data || data.limit === null || !data.hardStop || data.used < data.limit) return null;
  const { limit, periodEnd } = data;
  return (
    <div className={classes.notice} role="status">
      <CircleAlert size={16} aria-hidden />
      <Text c="inherit">
        {limit === 0
          ? 'The plan includes no units. Guildhall refuses requests.'
          : `All ${formatNumber(limit)} units are used. Guildhall refuses requests until ${dayFormat.format(new Date(periodEnd))}.`}{' '}
        <TextLink
          to="/workspaces/$workspaceId/usage"
          params={{ workspaceId }}
          inherit
          c="inherit"
          underline="always"
        >
          Open the usage
        </TextLink>
      </Text>
    </div>
  );
}
