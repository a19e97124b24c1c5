import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useGameNames } from '../../app/game';
import { Chart } from '../../components/Chart';
import { useSearchChange } from '../../components/use-search-change';
import { Pending } from '../../components/Pending';
import { FilterSelect } from '../../components/FilterSelect';
import { choicesOf, distinctNames, shortenId } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { PaidKeysPanel } from './PaidKeysPanel';
import { daysOf, PERIODS } from './periods';
import { planFacts } from './plan-facts';
import { QuotaMeter } from './QuotaMeter';
import { GROUPINGS, UsageDetails } from './UsageDetails';
import {
  paidKeysQuery,
  usageQuery,
  useKeyNames,
  workspaceQuery,
  type PaidKey,
  type UsageItem,
} from './queries';

const route = getRouteApi('/app/workspaces/$workspaceId/usage');

export function UsagePage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const { tenantId, keyId } = search;
  const period = PERIODS.find(({ value }) => value === search.range)?.value ?? 'month';
  const groupBy = GROUPINGS.find(({ value }) => value === search.groupBy)?.value ?? 'day';
  const filter = { ...daysOf(period), tenantId, keyId };
  const byDay = useQuery(usageQuery(workspaceId, 'day', filter));
  const grouped = useQuery(usageQuery(workspaceId, groupBy, filter));
  const paidKeys =
    useInfiniteQuery(paidKeysQuery(workspaceId)).data?.pages.flatMap(({ items }) => items) ?? [];
  const ownGames = useGameNames(workspaceId);
  const games = new Map([...paidKeys.map((key) => [key.tenantId, key.tenantName] as const), ...ownGames]);
  const keyNames = namesOfKeys(grouped.data?.items ?? [], paidKeys);
  const recentKeyNames = useKeyNames(workspaceId, { enabled: keyId !== undefined });
  // A game whose key is no longer paid for has no name.
  const choices = new Map([...(tenantId ? [[tenantId, shortenId(tenantId)] as const] : []), ...games]);
  const change = useSearchChange<typeof search>();
  return (
    <Page
      title="Usage and plan"
      subtitle="A unit is one accepted request on a key. In a batch it is one accepted event."
      actions={
        <>
          {tenantId && keyId && ownGames.has(tenantId) && (
            <ButtonLink
              to="/games/$tenantId/keys"
              params={{ tenantId }}
              search={{ key: keyId, revoked: 'true' }}
            >
              Open the key
            </ButtonLink>
          )}
          <FilterSelect
            label="Game"
            value={tenantId}
            choices={choicesOf(choices)}
            onChange={(next) => change({ tenantId: next, keyId: undefined })}
            width={180}
          />
          {keyId && (
            <FilterSelect
              label="Key"
              value={keyId}
              choices={[
                {
                  value: keyId,
                  label: keyNames.get(keyId) ?? recentKeyNames.get(keyId) ?? shortenId(keyId),
                },
              ]}
              onChange={(next) => change({ keyId: next })}
              width={180}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={[...PERIODS]}
            value={period}
            onChange={(range) => change({ range })}
          />
        </>
      }
    >
      <Panel title="This period">
        <QuotaMeter workspaceId={workspaceId} />
      </Panel>
      <Panel title="Units per day">
        {byDay.data && !byDay.isPlaceholderData ? (
          <Chart title="Units per day" bucketSeconds={86_400} {...toChart(byDay.data.items)} />
        ) : (
          <Pending query={byDay} failure="Usage could not be loaded" height={250} />
        )}
      </Panel>
      <UsageDetails
        groupBy={groupBy}
        onGroup={(next) => change({ groupBy: next })}
        report={grouped}
        games={games}
        keys={keyNames}
      />
      <PaidKeysPanel workspaceId={workspaceId} />
      <PlanPanel workspaceId={workspaceId} />
    </Page>
  );
}

function PlanPanel({ workspaceId }: { workspaceId: string }) {
  const query = useQuery(workspaceQuery(workspaceId));
  const { data } = query;
  return (
    <Panel title="Plan and rate limits">
      {data ? (
        <Facts facts={planFacts(data.plan)} />
      ) : (
        <Pending query={query} failure="The plan could not be loaded" height={90} />
      )}
    </Panel>
  );
}

/** The report has each day of the period, even days without usage. */
const toChart = (items: UsageItem[]) => ({
  times: items.map(({ day }) => Date.parse(day!) / 1000),
  series: [{ name: 'Units', values: items.map(({ units }) => units) }],
});

/** The report has no names of another workspace's keys. While such a key is paid, the list of paid keys has its name. */
function namesOfKeys(items: UsageItem[], paidKeys: PaidKey[]): Map<string, string> {
  const named = items.flatMap(({ keyId, keyName }) =>
    keyId && keyName ? [{ id: keyId, name: keyName }] : [],
  );
  return new Map([...paidKeys.map(({ id, name }) => [id, name] as const), ...distinctNames(named)]);
}
