import { Button, Menu } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { openApiReference } from '../../app/api-reference';
import { useCanChangeGame, useGame } from '../../app/game';
import { DataTable, type Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { formatNumber } from '../../components/format';
import { Panel } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { RowMenu } from '../../components/RowMenu';
import { SecretDialog } from '../../components/SecretDialog';
import { State } from '../../components/State';
import { useTableRows } from '../../components/use-table-rows';
import { CreateKeyDialog, EditKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './KeyDialogs';
import { usePayers } from './payers';
import { keysQuery, type AnyKey, type KeyKind } from './queries';
import classes from './KeyPanel.module.css';

type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'rotate' | 'revoke'; key: AnyKey };

const NAMES = { game: 'Game keys', api: 'API keys' };
const PURPOSES = {
  game: 'A game, or a game server, sends its key in X-Game-Key. It signs players in and sends events.',
  api: 'An integration sends its key in X-API-Key. If you allow it, the key reads profiles, matches, events and sessions.',
};

/** The keys of one kind, with what can be done to them. */
export function KeyPanel({
  tenantId,
  kind,
  includeRevoked,
  selectedKey,
}: {
  tenantId: string;
  kind: KeyKind;
  includeRevoked: boolean;
  /** The id of the key that the reader looks for. */
  selectedKey: string | undefined;
}) {
  const keys = useInfiniteQuery(keysQuery(tenantId, kind, includeRevoked));
  const { isActive } = useGame();
  const canChange = useCanChangeGame();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [secret, setSecret] = useState<string>();
  const close = (): void => setDialog(undefined);
  const common = { tenantId, kind, onClose: close };
  const table = useTableRows(keys, ({ id }) => id);
  /** A rotation creates a key with the same name. Only the prefix tells them apart. */
  const callKey = ({ id, name, prefix }: AnyKey): string =>
    table.rows?.some((other) => other.name === name && other.id !== id) ? `${name} (${prefix}…)` : name;

  return (
    <Panel
      title={NAMES[kind]}
      flush
      actions={
        canChange && (
          <Button variant="default" onClick={() => setDialog({ kind: 'create' })}>
            Create {kind === 'game' ? 'a game key' : 'an API key'}
          </Button>
        )
      }
    >
      <DataTable
        inline
        label={NAMES[kind]}
        columns={columns(kind, isActive, callKey, canChange ? setDialog : undefined)}
        {...table}
        selectedKey={selectedKey}
        empty={
          <EmptyState title={kind === 'game' ? 'No game keys' : 'No API keys'}>{PURPOSES[kind]}</EmptyState>
        }
      />
      {dialog?.kind === 'create' && <CreateKeyDialog {...common} onCreated={setSecret} />}
      {dialog?.kind === 'edit' && (
        <EditKeyDialog {...common} current={dialog.key} called={callKey(dialog.key)} />
      )}
      {dialog?.kind === 'rotate' && (
        <RotateKeyDialog
          {...common}
          current={dialog.key}
          called={callKey(dialog.key)}
          onCreated={setSecret}
        />
      )}
      {dialog?.kind === 'revoke' && (
        <RevokeKeyDialog {...common} current={dialog.key} called={callKey(dialog.key)} />
      )}
      <SecretDialog
        name="key"
        label="New key"
        secret={secret}
        onClose={() => setSecret(undefined)}
        action={
          <Button
            variant="default"
            rightSection={<ExternalLink size={13} aria-label="opens in a new tab" />}
            onClick={() => openApiReference(tenantId)}
          >
            Try it in the API reference
          </Button>
        }
      >
        Send it in the header {kind === 'game' ? 'X-Game-Key' : 'X-API-Key'}.
      </SecretDialog>
    </Panel>
  );
}

function KeyState({
  current: { revokedAt, expiresAt, successorId },
  isGameActive,
}: {
  current: AnyKey;
  isGameActive: boolean;
}) {
  if (revokedAt !== null) return <State>Revoked</State>;
  if (expiresAt !== null && Date.parse(expiresAt) < Date.now()) return <State>Expired</State>;
  if (!isGameActive) return <State tone="bad">Game disabled</State>;
  if (successorId !== null) return <State tone="warn">Rotated</State>;
  return <State tone="good">Active</State>;
}

/** Hover shows the id of another workspace, because its members give it the name. */
function Payer({ current }: { current: AnyKey }) {
  const payers = usePayers();
  const payer = payers.of(current);
  return payer === undefined ? 'This workspace' : <span data-tip={payer}>{payers.nameOf(payer)}</span>;
}

function columns(
  kind: KeyKind,
  isGameActive: boolean,
  callKey: (key: AnyKey) => string,
  open: ((dialog: OpenDialog) => void) | undefined,
): Column<AnyKey>[] {
  return [
    { id: 'name', header: 'Name', width: 126, narrowWidth: 126, cell: ({ name }) => name },
    {
      id: 'prefix',
      header: 'Prefix',
      width: 130,
      cell: ({ prefix }) => <span className={classes.prefix}>{prefix}…</span>,
    },
    {
      id: 'state',
      header: 'State',
      ...(isGameActive ? { width: 85, narrowWidth: 82 } : { width: 120, narrowWidth: 113 }),
      cell: (key) => <KeyState current={key} isGameActive={isGameActive} />,
    },
    ...(kind === 'api'
      ? [
          {
            id: 'data',
            header: 'Data API',
            width: 76,
            cell: ({ allowDataApi }: AnyKey) => (allowDataApi ? 'Allowed' : 'No'),
          },
          {
            id: 'payer',
            header: 'Reads paid by',
            width: 122,
            cell: (key: AnyKey) => <Payer current={key} />,
          },
        ]
      : [
          {
            id: 'token',
            header: 'Player token',
            width: 96,
            cell: ({ requirePlayerToken }: AnyKey) => (requirePlayerToken ? 'Required' : 'Optional'),
          },
        ]),
    {
      id: 'limit',
      header: 'Per minute',
      width: 87,
      align: 'right',
      cell: ({ rateLimit }) => (rateLimit?.perMinute == null ? 'Plan' : formatNumber(rateLimit.perMinute)),
    },
    {
      id: 'used',
      header: 'Last used',
      width: 95,
      narrowWidth: 94,
      cell: ({ lastUsedAt }) => <MaybeTime at={lastUsedAt} none="Never" />,
    },
    {
      id: 'expires',
      header: 'Expires',
      width: 92,
      cell: ({ expiresAt }) => <MaybeTime at={expiresAt} none="Never" />,
    },
    {
      id: 'created',
      header: 'Created',
      width: 95,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    ...(open
      ? [
          {
            id: 'actions',
            header: 'Action',
            isAction: true,
            width: 66,
            narrowWidth: 64,
            cell: (key: AnyKey) =>
              key.revokedAt === null && <KeyMenu current={key} called={callKey(key)} open={open} />,
          },
        ]
      : []),
  ];
}

function KeyMenu({
  current,
  called,
  open,
}: {
  current: AnyKey;
  called: string;
  open: (dialog: OpenDialog) => void;
}) {
  return (
    <RowMenu label={`Change the key ${called}`}>
      <Menu.Item onClick={() => open({ kind: 'edit', key: current })}>Edit</Menu.Item>
      {current.successorId === null && (
        <Menu.Item onClick={() => open({ kind: 'rotate', key: current })}>Rotate</Menu.Item>
      )}
      <Menu.Item c="var(--gh-bad)" onClick={() => open({ kind: 'revoke', key: current })}>
        Revoke
      </Menu.Item>
    </RowMenu>
  );
}
