import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { EmptyState } from '../../components/EmptyState';
import { ErrorState } from '../../components/ErrorState';
import { formatNumber } from '../../components/format';
import { JsonView } from '../../components/JsonView';
import { TextLink } from '../../components/links';
import { Facts } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { RelativeTime } from '../../components/RelativeTime';
import { State } from '../../components/State';
import { checkEntry, checkOrder, followsGap, GENESIS, type Head } from './check-entry';
import { nameOfKind } from './entry-kinds';
import { chainStateQuery, walletEntryQuery, type WalletEntry } from './queries';
import { WalletPlayer } from './WalletPlayer';
import classes from './EntryDetails.module.css';

export function EntryDetails({ index }: { index: number }) {
  const { id } = useGame();
  const query = useQuery(walletEntryQuery(id, index));
  const { data: entry } = query;
  if (entry) return <Loaded entry={entry} />;
  if (entry === null)
    return (
      <EmptyState title="No such entry">The ledger of this game has no entry with this number.</EmptyState>
    );
  return <Pending query={query} failure="The entry could not be loaded" height={320} />;
}

function Loaded({ entry }: { entry: WalletEntry }) {
  return (
    <Stack gap="lg">
      <Facts
        facts={{
          Kind: nameOfKind(entry.kind),
          Player: <PlayerLink entry={entry} />,
          Recorded: <RelativeTime at={entry.recordedAt} />,
          Transaction: <CopyableId id={entry.transactionHash} />,
          'On a chain': <ChainState {...entry} />,
        }}
      />
      <JsonView value={entry.body} name="Content" />
      <HashLink entry={entry} />
    </Stack>
  );
}

/** Leads to all entries of the player. */
const PlayerLink = ({ entry }: { entry: WalletEntry }) =>
  entry.playerIndex === null ? (
    '–'
  ) : (
    <TextLink from="/games/$tenantId/wallet" to="." search={{ player: String(entry.playerIndex) }}>
      <WalletPlayer {...entry} />
    </TextLink>
  );

/** The hashes of the entry before, of the content and of the entry, and whether they fit together. */
function HashLink({ entry }: { entry: WalletEntry }) {
  const { id: tenantId } = useGame();
  const { index } = entry;
  const before = useQuery({ ...walletEntryQuery(tenantId, index - 1), enabled: index > 1 });
  const after = useQuery(walletEntryQuery(tenantId, index + 1));
  const previous: Head | null | undefined = index === 1 ? GENESIS : before.data;
  const isMissing = previous === null && !before.isFetching && !before.error;
  const problem =
    checkEntry(tenantId, entry) ??
    (isMissing ? followsGap(index - 1) : undefined) ??
    (previous ? checkOrder(entry, previous) : undefined);
  /** Without the entry before, nobody knows whether this one follows it. */
  const isChecked = problem !== undefined || previous != null;
  return (
    <Stack gap="xs" component="section">
      <Group justify="space-between">
        <Title order={3}>Hash link</Title>
        {problem !== undefined ? (
          <State tone="bad">Hashes do not match</State>
        ) : isChecked ? (
          <State tone="good">Hashes match</State>
        ) : (
          <State>Not checked</State>
        )}
      </Group>
      {isChecked ? (
        <Text c="dimmed" role={problem === undefined ? undefined : 'alert'}>
          {problem === undefined
            ? 'Computed again in this browser from the content of the entry.'
            : `Entry ${index} ${problem}.`}
        </Text>
      ) : (
        before.error && (
          <ErrorState
            error={before.error}
            what="The entry before could not be loaded"
            retry={() => void before.refetch()}
          />
        )
      )}
      <ol className={classes.chain}>
        <Step
          name={index === 1 ? 'Before the first entry' : 'Hash of the entry before'}
          hash={entry.previousHash}
        >
          {index > 1 && <EntryLink index={index - 1} />}
        </Step>
        <Step name="Hash of the content" hash={entry.contentHash} />
        <Step name="Hash of this entry" hash={entry.hash} isResult>
          {after.data ? <EntryLink index={index + 1} /> : after.data === null && <State>Newest entry</State>}
        </Step>
      </ol>
    </Stack>
  );
}

function Step({
  name,
  hash,
  isResult = false,
  children,
}: {
  name: string;
  hash: string;
  isResult?: boolean;
  children?: ReactNode;
}) {
  return (
    <li data-result={isResult || undefined}>
      <Group justify="space-between" gap="xs" mih={22}>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        {children}
      </Group>
      <CopyableId id={hash} whole />
    </li>
  );
}

function EntryLink({ index }: { index: number }) {
  return (
    <Link
      className={classes.link}
      from="/games/$tenantId/wallet"
      to="."
      search={(search) => ({ ...search, entry: String(index) })}
      replace
      state
    >
      Entry {formatNumber(index)}
    </Link>
  );
}

/** Entries that only the ledger holds have their own hash as the hash of the transaction. */
function ChainState({ transactionHash, hash }: WalletEntry) {
  const { id } = useGame();
  const isOnChain = transactionHash !== hash;
  const chain = useQuery({ ...chainStateQuery(id, transactionHash), enabled: isOnChain });
  if (!isOnChain) return 'No';
  if (!chain.data) return '–';
  const { state, confirmations } = chain.data;
  if (state === 'confirmed') return <State tone="good">Confirmed</State>;
  if (state === 'abandoned') return <State tone="bad">Abandoned</State>;
  if (state === 'pending') return <State tone="info">Pending</State>;
  return <State tone="info">{formatNumber(confirmations)} confirmations</State>;
}
