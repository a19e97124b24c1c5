import { Button, Drawer, Menu, SegmentedControl, Switch } from '@mantine/core';
import { useInfiniteQuery, useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useGame } from '../../app/game';
import { DataTable } from '../../components/DataTable';
import { ButtonLink } from '../../components/links';
import { formatNumber } from '../../components/format';
import { Page } from '../../components/Page';
import { RangeSelect } from '../../components/RangeSelect';
import { SavedViews } from '../../components/SavedViews';
import { TextFilter } from '../../components/TextFilter';
import { startDownload } from '../../components/downloads';
import { useRangeChoice } from '../../components/use-range-choice';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { scopeChoices } from '../definitions/queries';
import { usePlayerNames } from '../players/names';
import { UsedUpNotice } from '../usage/UsedUpNotice';
import { eventColumns } from './columns';
import { EventChart } from './EventChart';
import { EventDetails } from './EventDetails';
import { NoEvents } from './NoEvents';
import {
  eventsQuery,
  eventCountsQuery,
  rejectedEventsQuery,
  frequentKeysQuery,
  requestExport,
  TAIL_RANGE,
  toEventRange,
  toFigure,
  useEventTail,
  type EventFilter,
  type EventRange,
  type StoredEvent,
} from './queries';

const route = getRouteApi('/app/games/$tenantId/events');

interface EventSearch extends Partial<Record<keyof EventFilter, string>> {
  range?: string;
  live?: string;
  show?: string;
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
  const search = route.useSearch();
  const range = toEventRange(search.range);
  const filter = filterOf(search);
  const isLive = search.live === 'true';
  const change = useSearchChange<typeof search>();
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
        <EventChart tenantId={game.id} filter={filter} range={range} figure={toFigure(search.show)} />
      )}
      <EventTable
        tenantId={game.id}
        filter={filter}
        range={range}
        isLive={isLive}
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

function RejectedEventsLink({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(rejectedEventsQuery(tenantId));
  const events = data?.items.reduce((sum, { count }) => sum + count, 0) ?? 0;
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
  toolbar: ReactNode;
}

function EventTable({ tenantId, filter, range, isLive, toolbar }: EventTableProps) {
  const [open, setOpen] = useState<StoredEvent>();
  const events = useInfiniteQuery({ ...eventsQuery(tenantId, filter, range), enabled: !isLive });
  const tail = useEventTail(tenantId, filter, { enabled: isLive });
  const stored = useTableRows(events, ({ eventRecordId }) => eventRecordId);
  const { rowKey } = stored;
  const live = { rows: tail.data?.items, rowKey, error: tail.error, retry: () => void tail.refetch() };
  const shown = isLive ? live : stored;
  const playerNames = usePlayerNames(tenantId, shown.rows?.map(({ playerId }) => playerId) ?? []);
  // The live tail renders each second. Rows with other columns would render again.
  const columns = useMemo(() => eventColumns(playerNames), [playerNames]);
  return (
    <>
      <DataTable
        label="Events"
        columns={columns}
        {...shown}
        onOpen={setOpen}
        selectedKey={open?.eventRecordId}
        toolbar={toolbar}
        empty={<NoEvents tenantId={tenantId} filter={filter} range={isLive ? TAIL_RANGE : range} />}
      />
      <Drawer opened={open !== undefined} onClose={() => setOpen(undefined)} title="Event" size={480}>
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
