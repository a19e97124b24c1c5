import { Button, Drawer, Menu, SegmentedControl, Switch } from '@mantine/core';
import { useInfiniteQuery, useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { useGame } from '../../app/game';
import { DataTable } from '../../components/DataTable';
import { ButtonLink } from '../../components/links';
import { formatCount, formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { RangeSelect } from '../../components/RangeSelect';
import { SavedViews } from '../../components/SavedViews';
import { TextFilter } from '../../components/TextFilter';
import { startDownload } from '../../components/downloads';
import { useRowPanel } from '../../components/use-panel';
import { useRangeChoice } from '../../components/use-range-choice';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { scopeChoices } from '../definitions/queries';
import { usePlayerNames } from '../players/names';
import { UsedUpNotice } from '../usage/UsedUpNotice';
import { eventColumns } from './columns';
import { EventChart } from './EventChart';
import { EventDetails } from './EventDetails';
import classes from './EventsPage.module.css';
import { NoEvents } from './NoEvents';
import {
  eventsQuery,
  eventCountsQuery,
  rejectedEventsQuery,
  frequentKeysQuery,
  leavesOut,
  requestExport,
  TAIL_RANGE,
  TAIL_SIZE,
  toEventRange,
  toFigure,
  totalOf,
  useEventTail,
  type EventFilter,
  type EventRange,
} from './queries';
import { useHeldRows } from './use-held-rows';

const route = getRouteApi('/app/games/$tenantId/events');

interface EventSearch extends Partial<Record<keyof EventFilter, string>> {
  range?: string;
  live?: string;
  show?: string;
  event?: string;
}

const ANY_TIME = { value: 'any', label: 'Any time' };

const filterOf = ({ scope, eventKey, eventValue, playerId, matchSessionId }: EventSearch): EventFilter => ({
  scope: scope === 'player' ? 'player' : 'match',
  eventKey,
  eventValue,
  playerId,
  matchSessionId,
});

export const preload = (
  queryClient: QueryClient,
  { tenantId }: { tenantId: string },
  search: EventSearch,
): Promise<unknown> => {
  const filter = filterOf(search);
  const range = toEventRange(search.range);
  if (search.live === 'true') return Promise.resolve();
  return Promise.all([
    queryClient.ensureInfiniteQueryData(eventsQuery(tenantId, filter, range)),
    queryClient.prefetchQuery(rejectedEventsQuery(tenantId)),
    ...(range === 'any' || toFigure(search.show)
      ? []
      : [
          queryClient.prefetchQuery(eventCountsQuery(tenantId, filter, range)),
          queryClient.prefetchQuery(frequentKeysQuery(tenantId, filter, range)),
        ]),
  ]);
};

export function EventsPage() {
  const game = useGame();
  const { event: _, ...search } = route.useSearch();
  const range = toEventRange(search.range);
  const filter = filterOf(search);
  const isLive = search.live === 'true';
  const changeSearch = useSearchChange<typeof search>();
  /** The scope stays: it may be one that the URL does not have. */
  const change = (changes: typeof search): void => changeSearch({ scope: filter.scope, ...changes });
  const isUndecided = useOnlyScope(game.id, search);
  const choice = useRangeChoice(range, (next) => change({ range: next }));

  return (
    <Page
      title="Events"
      subtitle={
        isLive ? 'The newest events of the last 24 hours, read every second' : 'Events that the game sent'
      }
      actions={
        <>
          <Switch
            label="Live tail"
            checked={isLive}
            onChange={({ currentTarget: { checked } }) => change({ live: checked ? 'true' : undefined })}
          />
          {!isLive && (
            <RangeSelect
              value={range}
              choices={[...choice.choices, ANY_TIME]}
              width={choice.width}
              onChange={choice.choose}
            />
          )}
          <RejectedEventsLink tenantId={game.id} />
          <ExportButton tenantId={game.id} filter={filter} range={isLive ? TAIL_RANGE : range} />
          {choice.dialog}
        </>
      }
      fill
    >
      <UsedUpNotice />
      {!isLive && range !== 'any' && (
        <EventChart
          tenantId={game.id}
          filter={filter}
          range={range}
          figure={toFigure(search.show)}
          isUndecided={isUndecided}
          onZoomTo={(interval) => change({ range: interval })}
        />
      )}
      <EventTable
        tenantId={game.id}
        filter={filter}
        range={range}
        isLive={isLive}
        isUndecided={isUndecided}
        toolbar={
          <>
            <SavedViews page={`events.${game.id}`} search={search} />
            <SegmentedControl
              size="xs"
              aria-label="Scope"
              data={scopeChoices.filter(({ value }) => value !== 'both')}
              value={filter.scope}
              onChange={(scope) =>
                change({ scope, ...(scope === 'player' && { matchSessionId: undefined }) })
              }
            />
            <TextFilter
              label="Event key"
              value={search.eventKey}
              onChange={(eventKey) => change({ eventKey })}
              width={140}
            />
            <TextFilter
              label="Event value"
              value={search.eventValue}
              onChange={(eventValue) => change({ eventValue })}
              width={120}
            />
            <TextFilter
              label="Player id"
              value={search.playerId}
              onChange={(playerId) => change({ playerId })}
            />
            {filter.scope === 'match' && (
              <TextFilter
                label="Match id"
                value={search.matchSessionId}
                onChange={(matchSessionId) => change({ matchSessionId })}
              />
            )}
          </>
        }
      />
    </Page>
  );
}

/**
 * A page without a scope in its URL goes to the player events if there are no match events. Returns true until it is known whether it
 * does.
 */
function useOnlyScope(tenantId: string, search: EventSearch): boolean {
  const filter = filterOf(search);
  const range = toEventRange(search.range);
  const change = useSearchChange<EventSearch>();
  // A search with filters may read the whole archive.
  const isOpen = (search.scope ?? search.live) === undefined && !leavesOut(filter, range);
  const match = useInfiniteQuery({ ...eventsQuery(tenantId, filter, range), enabled: isOpen });
  const hasNone = isOpen && match.data?.pages[0]?.items.length === 0 && !match.isPlaceholderData;
  const player = useInfiniteQuery({
    ...eventsQuery(tenantId, { ...filter, scope: 'player' }, range),
    enabled: hasNone,
  });
  const isPlayer = hasNone && (player.data?.pages[0]?.items.length ?? 0) > 0 && !player.isPlaceholderData;
  useEffect(() => {
    if (isPlayer) change({ scope: 'player' });
  }, [isPlayer]);
  return isOpen && (match.isPending || (hasNone && (player.isPending || isPlayer)));
}

function RejectedEventsLink({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(rejectedEventsQuery(tenantId));
  const events = totalOf(data?.items ?? []);
  return (
    <ButtonLink to="/games/$tenantId/events/rejected" params={{ tenantId }}>
      Rejected events{events > 0 && ` · ${formatNumber(events)}`}
    </ButtonLink>
  );
}

interface EventTableProps {
  tenantId: string;
  filter: EventFilter;
  range: EventRange;
  isLive: boolean;
  isUndecided: boolean;
  toolbar: ReactNode;
}

function EventTable({ tenantId, filter, range, isLive, isUndecided, toolbar }: EventTableProps) {
  const table = useRef<HTMLDivElement>(null);
  const events = useInfiniteQuery({ ...eventsQuery(tenantId, filter, range), enabled: !isLive });
  const tail = useEventTail(tenantId, filter, { enabled: isLive });
  const stored = useTableRows(events, ({ eventRecordId }) => eventRecordId);
  const { rowKey } = stored;
  const { listeners, ...held } = useHeldRows(tail.data?.items, JSON.stringify(filter));
  const live = { rows: held.rows, rowKey, error: tail.error, retry: () => void tail.refetch() };
  const shown = isLive ? live : { ...stored, ...(isUndecided && { rows: undefined }) };
  const { row: open, ...panel } = useRowPanel('event', shown.rows, rowKey);
  const playerNames = usePlayerNames(shown.rows?.map(({ playerId }) => ({ tenantId, playerId })) ?? []);
  // The live tail renders each second. Rows with other columns would render again.
  const columns = useMemo(() => eventColumns(playerNames), [playerNames]);
  const showNewer = (): void => {
    held.show();
    const rows = table.current?.querySelector('[role=region]');
    rows?.scrollTo({ top: 0 });
    if (rows instanceof HTMLElement) rows.focus({ preventScroll: true });
  };
  return (
    <>
      <div ref={table} className={classes.table} {...listeners}>
        <DataTable
          label="Events"
          columns={columns}
          {...shown}
          onOpen={panel.open}
          selectedKey={open?.eventRecordId}
          toolbar={toolbar}
          bulkActions={
            isLive &&
            held.newer > 0 && (
              <div className={classes.newer} data-newer>
                <Button size="compact-xs" onClick={showNewer}>
                  {held.newer < TAIL_SIZE
                    ? formatCount(held.newer, 'new event')
                    : `${TAIL_SIZE} or more new events`}
                </Button>
              </div>
            )
          }
          empty={<NoEvents filter={filter} range={isLive ? TAIL_RANGE : range} />}
        />
      </div>
      <Drawer opened={open !== undefined} onClose={panel.close} title="Event" size={480}>
        {open && <EventDetails tenantId={tenantId} event={open} />}
      </Drawer>
    </>
  );
}

function ExportButton({
  tenantId,
  filter,
  range,
}: {
  tenantId: string;
  filter: EventFilter;
  range: EventRange;
}) {
  const start = (format: 'csv' | 'ndjson'): void =>
    startDownload(`events.${format}`, (signal) => requestExport(tenantId, filter, range, format, signal));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => start('csv')}>As CSV</Menu.Item>
        <Menu.Item onClick={() => start('ndjson')}>As JSON lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
