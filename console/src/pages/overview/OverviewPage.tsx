import { Text } from '@mantine/core';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { Figure } from '../../components/Figure';
import { formatNumber } from '../../components/format';
import { TextLink } from '../../components/links';
import { Page, Panel } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { RangeSelect } from '../../components/RangeSelect';
import { RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { toRange, type RangeName } from '../../components/range';
import { useSearchChange } from '../../components/use-search-change';
import { alertNames, formatAmount } from '../alerts/alert-texts';
import { describeAction } from '../audit/action-words';
import { actorName } from '../audit/columns';
import { recentAuditQuery } from '../audit/queries';
import { useNameOf } from '../audit/use-name-of';
import { countsOf } from '../events/top-series';
import { rejectedEventsQuery, totalOf } from '../events/queries';
import { ledgerProviderName } from '../providers/provider-names';
import { QuotaMeter } from '../usage/QuotaMeter';
import { UsedUpNotice } from '../usage/UsedUpNotice';
import { EventsPerMinute } from './EventsPerMinute';
import { FirstStep } from './FirstStep';
import {
  eventFigureQuery,
  eventsBeforeQuery,
  eventsPerMinuteQuery,
  recentAlertsQuery,
  signInsQuery,
  signInTimelineQuery,
} from './queries';
import { SignInChart } from './SignInChart';
import classes from './OverviewPage.module.css';

const route = getRouteApi('/app/games/$tenantId/');

export const preload = (
  queryClient: QueryClient,
  { tenantId }: { tenantId: string },
  search: { range?: string },
): Promise<unknown> => {
  const range = toRange(search.range, '24h');
  return Promise.all([
    queryClient.prefetchQuery(signInsQuery(tenantId, range)),
    queryClient.prefetchQuery(signInTimelineQuery(tenantId, range)),
    queryClient.prefetchQuery(eventsPerMinuteQuery(tenantId)),
    queryClient.prefetchQuery(eventFigureQuery(tenantId, 'match', range)),
    queryClient.prefetchQuery(eventFigureQuery(tenantId, 'player', range)),
    queryClient.prefetchQuery(eventsBeforeQuery(tenantId, 'match', range)),
    queryClient.prefetchQuery(eventsBeforeQuery(tenantId, 'player', range)),
    queryClient.prefetchQuery(rejectedEventsQuery(tenantId)),
    queryClient.prefetchQuery(signInsQuery(tenantId, range, 1)),
    queryClient.prefetchQuery(recentAuditQuery(tenantId)),
  ]);
};

export function OverviewPage() {
  const game = useGame();
  const range = toRange(route.useSearch().range, '24h');
  const change = useSearchChange<{ range: RangeName }>();
  return (
    <Page
      title="Overview"
      subtitle={game.name}
      actions={<RangeSelect value={range} onChange={(next) => change({ range: next })} />}
    >
      <UsedUpNotice />
      <FirstStep range={range} />
      <Figures tenantId={game.id} range={range} />
      <EventsPerMinute tenantId={game.id} />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <Panel title="Sign-ins over time">
            <SignInChart tenantId={game.id} range={range} />
          </Panel>
          <Panel title="Latest changes">
            <LatestChanges />
          </Panel>
        </div>
        <div className={classes.stack}>
          <Panel title="Sign-ins by provider">
            <SignInsByProvider tenantId={game.id} range={range} />
          </Panel>
          <Panel title="Usage of the plan">
            <QuotaMeter workspaceId={game.workspaceId} />
            <TextLink
              to="/workspaces/$workspaceId/usage"
              params={{ workspaceId: game.workspaceId }}
              search={{ groupBy: 'tenant' }}
              mt="xs"
              display="inline-block"
            >
              Open the usage by game
            </TextLink>
          </Panel>
          <Panel title="Alerts">
            <RecentAlerts workspaceId={game.workspaceId} tenantId={game.id} />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function Figures({ tenantId, range }: { tenantId: string; range: RangeName }) {
  const now = useQuery(signInsQuery(tenantId, range));
  const before = useQuery(signInsQuery(tenantId, range, 1));
  const timeline = useQuery(signInTimelineQuery(tenantId, range));
  const matchEvents = useQuery(eventFigureQuery(tenantId, 'match', range));
  const playerEvents = useQuery(eventFigureQuery(tenantId, 'player', range));
  const course = (name: 'logins' | 'uniquePlayers') => timeline.data?.items.map((item) => item[name]);
  const matchEventsBefore = useQuery(eventsBeforeQuery(tenantId, 'match', range));
  const playerEventsBefore = useQuery(eventsBeforeQuery(tenantId, 'player', range));
  const rejected = useQuery({ ...rejectedEventsQuery(tenantId), refetchInterval: 60_000 });
  return (
    <section className={classes.figures} aria-label="Figures of the time range">
      <Figure
        label="Players who signed in"
        value={now.data?.uniquePlayers}
        before={before.data?.uniquePlayers}
        course={course('uniquePlayers')}
        query={now}
      />
      <Figure
        label="Sign-ins"
        value={now.data?.totalLogins}
        before={before.data?.totalLogins}
        course={course('logins')}
        query={now}
      />
      <Figure
        label="Match events"
        value={matchEvents.data && totalOf(matchEvents.data.items)}
        before={matchEventsBefore.data}
        course={matchEvents.data && countsOf(matchEvents.data)}
        query={matchEvents}
      />
      <Figure
        label="Player events"
        value={playerEvents.data && totalOf(playerEvents.data.items)}
        before={playerEventsBefore.data}
        course={playerEvents.data && countsOf(playerEvents.data)}
        query={playerEvents}
      />
      <Figure
        label="Rejected events, last 8 days"
        value={rejected.data && totalOf(rejected.data.items)}
        query={rejected}
      >
        <TextLink to="/games/$tenantId/events/rejected" params={{ tenantId }}>
          Open the list
        </TextLink>
      </Figure>
    </section>
  );
}

function SignInsByProvider({ tenantId, range }: { tenantId: string; range: RangeName }) {
  const query = useQuery(signInsQuery(tenantId, range));
  const { data } = query;
  if (!data) return <Pending query={query} failure="Sign-ins could not be counted" height={120} />;
  const providers = Object.entries(data.loginsByProvider).toSorted(([, one], [, other]) => other - one);
  if (providers.length === 0) return <Text c="dimmed">Nobody signed in during this time.</Text>;
  const most = providers[0]![1];
  return (
    <table className={classes.bars}>
      <tbody>
        {providers.map(([name, logins]) => (
          <tr key={name}>
            <th scope="row">{ledgerProviderName(name)}</th>
            <td className={classes.bar}>
              <div style={{ width: `${(logins / most) * 100}%` }} />
            </td>
            <td className={classes.count}>{formatNumber(logins)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LatestChanges() {
  const { id: tenantId, name } = useGame();
  const query = useQuery(recentAuditQuery(tenantId));
  const { data } = query;
  const nameOf = useNameOf(data?.items, [new Map([[tenantId, name]])]);
  if (!data) return <Pending query={query} failure="Changes could not be loaded" height={160} />;
  return (
    <>
      <ul className={classes.changes}>
        {data.items.map(({ id, action, targetId, actor, occurredAt }) => (
          <li key={id}>
            <TextLink
              to="/games/$tenantId/audit"
              params={{ tenantId }}
              search={{ action, targetId: targetId ?? undefined }}
              inherit
              c="inherit"
              className={classes.action}
            >
              {describeAction(action)}
            </TextLink>
            {targetId !== null && (
              <Text span truncate>
                {nameOf(targetId)}
              </Text>
            )}
            <Text span size="xs" c="dimmed" truncate>
              {actorName(actor)}
            </Text>
            <Text span size="xs" c="dimmed" className={classes.when}>
              <RelativeTime at={occurredAt} />
            </Text>
          </li>
        ))}
      </ul>
      <TextLink to="/games/$tenantId/audit" params={{ tenantId }}>
        Open the audit log
      </TextLink>
    </>
  );
}

function RecentAlerts({ workspaceId, tenantId }: { workspaceId: string; tenantId: string }) {
  const query = useQuery(recentAlertsQuery(workspaceId, tenantId));
  const { data } = query;
  if (!data) return <Pending query={query} failure="Alerts could not be loaded" height={40} />;
  if (data.items.length === 0) return <Text c="dimmed">No key of this game has had unusual traffic.</Text>;
  return (
    <>
      <ul className={classes.changes}>
        {data.items.map(({ id, type, observed, threshold, createdAt }) => (
          <li key={id}>
            <State tone="warn">{alertNames[type]}</State>
            <Text span size="xs">
              {formatAmount(type, observed)} of {formatAmount(type, threshold)}
            </Text>
            <Text span size="xs" c="dimmed" className={classes.when}>
              <RelativeTime at={createdAt} />
            </Text>
          </li>
        ))}
      </ul>
      <TextLink to="/workspaces/$workspaceId/alerts" params={{ workspaceId }} search={{ tenantId }}>
        Open the alerts
      </TextLink>
    </>
  );
}
