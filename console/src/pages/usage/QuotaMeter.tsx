import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useIsPlatformAdmin } from '../../app/account';
import { formatNumber, formatShare } from '../../components/format';
import { TextLink } from '../../components/links';
import { Pending } from '../../components/Pending';
import { dayFormat } from './day-format';
import { quotaQuery, type Quota } from './queries';

const WARN_PERCENT = 75;

/** The used units of the period against the plan, and the day on which they will be used up at this rate. */
export function QuotaMeter({ workspaceId }: { workspaceId: string }) {
  const query = useQuery(quotaQuery(workspaceId));
  const isPlatformAdmin = useIsPlatformAdmin();
  const { data } = query;
  if (!data) return <Pending query={query} failure="The usage could not be loaded" height={48} />;
  const { limit, used, plan } = data;
  if (limit === null)
    return (
      <Stack gap={4}>
        <Text>
          <Text span fw={600} inherit>
            {formatNumber(used)}
          </Text>{' '}
          units in this period
        </Text>
        <Text size="xs" c="dimmed">
          The plan “{plan}” has no limit.
        </Text>
      </Stack>
    );
  const percent = used >= limit ? 100 : (used / limit) * 100;
  return (
    <Stack gap={6}>
      <Text>
        <Text span fw={600} inherit>
          {formatNumber(used)}
        </Text>{' '}
        of {formatNumber(limit)} units · {formatShare(used, limit)}
      </Text>
      <Progress
        value={percent}
        color={percent >= 100 ? 'red.8' : percent >= WARN_PERCENT ? 'yellow.8' : 'indigo'}
        aria-label="Used units of the plan"
        size="sm"
      />
      <Text size="xs" c="dimmed">
        {forecast(data)}{' '}
        {isPlatformAdmin ? (
          <TextLink
            to="/platform/workspaces/$workspaceId"
            params={{ workspaceId }}
            inherit
            underline="always"
          >
            Change the plan
          </TextLink>
        ) : (
          used >= limit && 'A platform administrator changes the plan.'
        )}
      </Text>
    </Stack>
  );
}

/** When the units end if they are used at the rate of the period so far. */
function forecast({ limit, used, periodStart, periodEnd, hardStop }: Quota): string {
  const end = `The period ends on ${dayFormat.format(new Date(periodEnd))}.`;
  if (limit === null) return end;
  const consequence = hardStop ? 'Then requests are refused.' : 'Then requests are still accepted.';
  if (used >= limit) {
    const state = limit === 0 ? 'The plan includes no units.' : 'All units are used.';
    return `${state} ${hardStop ? 'Requests are refused.' : 'Requests are still accepted.'} ${end}`;
  }
  if (used === 0) return end;
  const elapsed = Date.now() - Date.parse(periodStart);
  const usedUpAt = Date.parse(periodStart) + (elapsed * limit) / used;
  if (usedUpAt >= Date.parse(periodEnd)) return `At this rate the units last until the period ends. ${end}`;
  return `At this rate the units end on ${dayFormat.format(usedUpAt)}. ${consequence}`;
}
