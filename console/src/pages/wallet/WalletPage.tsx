import { Button, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { NoResults } from '../../components/NoResults';
import { FilterSelect } from '../../components/FilterSelect';
import { formatCount } from '../../components/format';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { TextFilter } from '../../components/TextFilter';
import { opensPanel, usePanel } from '../../components/use-panel';
import { useSearchChange } from '../../components/use-search-change';
import { useTableRows } from '../../components/use-table-rows';
import { WalletSnippet } from '../snippets/WalletSnippet';
import { WholeKeyNote } from '../snippets/WholeKeyNote';
import { EntryDetails } from './EntryDetails';
import { kindChoices, nameOfKind, summarise } from './entry-kinds';
import { walletEntriesQuery, type WalletEntry } from './queries';
import { VerifyPanel } from './VerifyPanel';
import { WalletPlayer } from './WalletPlayer';

const route = getRouteApi('/app/games/$tenantId/wallet');

export function WalletPage() {
  const game = useGame();
  const { entry: _, ...filter } = route.useSearch();
  const entries = useInfiniteQuery(walletEntriesQuery(game.id, filter));
  const [isVerifying, verifying] = useDisclosure();
  const change = useSearchChange<typeof filter>();
  const { id: opened, ...panel } = usePanel('entry');

  const count = entries.data?.pages[0]?.head?.index;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page
      title="Wallet ledger"
      subtitle={
        count
          ? `${formatCount(count, 'entry')} in a chain of hashes`
          : 'Hash-chained entries of wallet players'
      }
      actions={
        count !== 0 && (
          <Button leftSection={<ShieldCheck size={14} />} onClick={verifying.open} disabled={isVerifying}>
            Verify the ledger
          </Button>
        )
      }
      fill
    >
      {isVerifying && <VerifyPanel tenantId={game.id} onClose={verifying.close} />}
      <DataTable
        label="Wallet ledger"
        columns={columns}
        {...useTableRows(entries, ({ index }) => String(index))}
        onOpen={({ index }) => panel.open(String(index))}
        selectedKey={opened}
        toolbar={
          <>
            <FilterSelect
              label="Kind"
              value={filter.kind}
              choices={kindChoices}
              onChange={(kind) => change({ kind })}
              width={170}
            />
            <TextFilter
              label="Player number"
              value={filter.player}
              onChange={(player) => change({ player })}
              width={130}
            />
            <TextFilter
              label="Transaction hash"
              value={filter.transaction}
              onChange={(transaction) => change({ transaction })}
              width={280}
            />
          </>
        }
        isFiltered={isFiltered}
        noResults={
          <NoResults title="No entry matches the filters">
            Search for a whole transaction hash, or for the number that a wallet player has in this game.
          </NoResults>
        }
        empty={
          <EmptyState
            title="No entries yet"
            next={
              <>
                <WholeKeyNote />
                <WalletSnippet />
              </>
            }
          >
            Each call of the wallet recording adds an entry that holds the hash of the entry before. So nobody
            can change an entry unnoticed. Add a first player:
          </EmptyState>
        }
      />
      <Drawer opened={opened !== undefined} onClose={panel.close} title={`Entry ${opened ?? ''}`} size={620}>
        {opened !== undefined && <EntryDetails index={Number(opened)} />}
      </Drawer>
    </Page>
  );
}

const columns: Column<WalletEntry>[] = [
  {
    id: 'index',
    header: 'Entry',
    width: 80,
    narrowWidth: 56,
    cell: ({ index }) => (
      <Link
        from="/games/$tenantId/wallet"
        to="."
        search={(before) => ({ ...before, entry: String(index) })}
        {...opensPanel}
      >
        {index}
      </Link>
    ),
  },
  { id: 'kind', header: 'Kind', width: 150, narrowWidth: 122, cell: ({ kind }) => nameOfKind(kind) },
  { id: 'content', header: 'Content', cell: summarise },
  {
    id: 'player',
    header: 'Player',
    width: 180,
    narrowWidth: 96,
    cell: (entry) => <WalletPlayer {...entry} />,
  },
  {
    id: 'transaction',
    header: 'Transaction',
    width: 150,
    cell: ({ transactionHash }) => <CopyableId id={transactionHash} />,
  },
  {
    id: 'recorded',
    header: 'Recorded',
    width: 130,
    narrowWidth: 92,
    cell: ({ recordedAt }) => <RelativeTime at={recordedAt} />,
  },
  { id: 'hash', header: 'Hash', width: 150, hidden: true, cell: ({ hash }) => <CopyableId id={hash} /> },
];
