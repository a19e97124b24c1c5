import { Anchor, Button, Group, Menu, Tabs, Text } from '@mantine/core';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useIsPlatformAdmin } from '../../app/account';
import { useCanChangeGame, useGame } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { capitalize, formatNumber } from '../../components/format';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { playerName } from '../../components/player-name';
import { RecordPage } from '../../components/RecordPage';
import { RelativeTime } from '../../components/RelativeTime';
import { startDownload } from '../../components/downloads';
import { useSearchChange } from '../../components/use-search-change';
import { DeletionReceiptPanel } from '../platform/DeletionReceipt';
import { BanDialog } from './BanDialog';
import { BanPanel } from './BanPanel';
import { ChangeRoleDialog, DeletePlayerDialog, ForceLogoutDialog, LiftBanDialog } from './PlayerDialogs';
import { PlayerNotes } from './PlayerNotes';
import {
  PlayerAudit,
  PlayerBans,
  PlayerDevices,
  PlayerEvents,
  PlayerMatches,
  PlayerMethods,
  PlayerSessions,
} from './PlayerTabs';
import { PlayerState } from './PlayerState';
import classes from './PlayerPage.module.css';
import { playerQuery, requestPlayerExport, useHidePlayer, type Player } from './queries';

const route = getRouteApi('/app/games/$tenantId/players/$playerId');

export const preload = (
  queryClient: QueryClient,
  { tenantId, playerId }: { tenantId: string; playerId: string },
) => queryClient.prefetchQuery(playerQuery(tenantId, playerId));

export function PlayerPage() {
  const game = useGame();
  const { playerId } = route.useParams();
  const player = useQuery(playerQuery(game.id, playerId));
  return (
    <RecordPage
      title="Player"
      query={player}
      list={
        <ButtonLink to="/games/$tenantId/players" params={{ tenantId: game.id }}>
          Open the players
        </ButtonLink>
      }
    >
      {(data) => <LoadedPlayer tenantId={game.id} requestedId={playerId} player={data} />}
    </RecordPage>
  );
}

interface LoadedPlayerProps {
  tenantId: string;
  /** The id in the URL, which can be that of a merged profile. */
  requestedId: string;
  player: Player;
}

function LoadedPlayer({ tenantId, requestedId, player }: LoadedPlayerProps) {
  const { tab = 'sessions' } = route.useSearch();
  const change = useSearchChange<{ tab: string | undefined }>();
  const isPlatformAdmin = useIsPlatformAdmin();
  const path = { tenantId, playerId: player.playerId };
  const name = playerName(player);
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => showChosen(tabs.current), [tab]);

  return (
    <Page
      title={name}
      state={<PlayerState player={player} />}
      subtitle={<CopyableId id={player.playerId} whole />}
      actions={<Actions tenantId={tenantId} player={player} name={name} />}
    >
      {requestedId.toLowerCase() !== player.playerId && (
        <Panel>
          <Text>
            The player <CopyableId id={requestedId} /> was merged into this player.
          </Text>
        </Panel>
      )}
      {player.ban && <BanPanel {...path} ban={player.ban} />}
      <Panel title="Profile">
        <Facts
          facts={{
            ...(player.avatarUrl !== null && { Avatar: <Avatar url={player.avatarUrl} name={name} /> }),
            'First sign-in': <RelativeTime at={player.firstSeenAt} />,
            'Last sign-in': <RelativeTime at={player.lastSeenAt} />,
            'Sign-ins': formatNumber(player.loginCount),
            'Sessions not ended': formatNumber(player.counts.openSessions),
            Devices: formatNumber(player.counts.devices),
            'Role in the game': capitalize(player.tenantRole),
            'Profile visibility': capitalize(player.profileVisibility),
            Discovery: player.hiddenFromDiscovery ? 'Hidden' : 'Visible',
            ...(player.mergedProfileIds.length > 0 && { 'Merged profiles': <MergedProfiles {...player} /> }),
          }}
        />
      </Panel>
      {!player.isActive && isPlatformAdmin && <DeletionReceiptPanel playerId={player.playerId} />}
      <Panel title="Sign-in methods" flush>
        <PlayerMethods player={player} />
      </Panel>
      <Tabs
        keepMountedMode="display-none"
        value={tab}
        onChange={(next) => change({ tab: next && next !== 'sessions' ? next : undefined }, { push: true })}
      >
        <Tabs.List aria-label="Records of the player" ref={tabs}>
          <Tabs.Tab value="sessions">Sessions ({formatNumber(player.counts.sessions)})</Tabs.Tab>
          <Tabs.Tab value="devices">Devices ({formatNumber(player.counts.devices)})</Tabs.Tab>
          <Tabs.Tab value="matches">Matches</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="bans">Bans ({formatNumber(player.counts.bans)})</Tabs.Tab>
          <Tabs.Tab value="notes">Notes</Tabs.Tab>
          <Tabs.Tab value="audit">Audit</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="sessions" pt="sm">
          <PlayerSessions {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="devices" pt="sm">
          <PlayerDevices {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="matches" pt="sm">
          <PlayerMatches {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="events" pt="sm">
          <PlayerEvents {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="bans" pt="sm">
          <PlayerBans {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="notes" pt="sm" keepMounted>
          <PlayerNotes {...path} />
        </Tabs.Panel>
        <Tabs.Panel value="audit" pt="sm">
          <PlayerAudit {...path} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** On a phone the list of tabs scrolls, and an address can name one that is out of view. */
function showChosen(tabs: HTMLElement | null): void {
  const chosen = tabs?.querySelector('[aria-selected=true]');
  if (!tabs || !chosen) return;
  const hidden = chosen.getBoundingClientRect().right - tabs.getBoundingClientRect().right;
  if (hidden > 0) tabs.scrollLeft += hidden;
}

/** An image of this server. Others are linked: their servers would learn who looks at the player, and the page may not load them. */
function Avatar({ url, name }: { url: string; name: string }) {
  const { origin, host, href } = new URL(url);
  return origin === location.origin ? (
    <img src={href} width={48} height={48} alt={`Avatar of ${name}`} className={classes.avatar} />
  ) : (
    <Anchor href={href} target="_blank" rel="noreferrer" inherit>
      {host}
    </Anchor>
  );
}

const MergedProfiles = ({ mergedProfileIds }: Pick<Player, 'mergedProfileIds'>) => (
  <Group gap="xs">
    {mergedProfileIds.map((id) => (
      <CopyableId key={id} id={id} />
    ))}
  </Group>
);

type OpenDialog = 'ban' | 'liftBan' | 'forceLogout' | 'role' | 'delete';

function Actions({ tenantId, player, name }: { tenantId: string; player: Player; name: string }) {
  const path = { tenantId, playerId: player.playerId };
  const canChange = useCanChangeGame();
  const isPlatformAdmin = useIsPlatformAdmin();
  const hide = useHidePlayer(path);
  const [dialog, setDialog] = useState<OpenDialog>();
  const common = { path, name, onClose: () => setDialog(undefined) };
  if (!canChange && !(isPlatformAdmin && player.isActive)) return null;
  return (
    <>
      {hide.error && <ErrorText error={hide.error} />}
      {canChange && (player.isActive || player.ban) && (
        <Button variant="default" onClick={() => setDialog(player.ban ? 'liftBan' : 'ban')}>
          {player.ban ? 'Lift the ban' : 'Ban'}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {canChange && player.isActive && (
            <>
              <Menu.Item onClick={() => setDialog('forceLogout')}>End all sessions</Menu.Item>
              <Menu.Item onClick={() => setDialog('role')}>Change role</Menu.Item>
              <Menu.Item onClick={() => hide.mutate(!player.hiddenFromDiscovery)}>
                {player.hiddenFromDiscovery ? 'Show in discovery' : 'Hide from discovery'}
              </Menu.Item>
            </>
          )}
          {canChange && (
            <Menu.Item
              onClick={() =>
                startDownload(`player-${player.playerId}.json`, (signal) => requestPlayerExport(path, signal))
              }
            >
              Export the data
            </Menu.Item>
          )}
          {isPlatformAdmin && player.isActive && (
            <Menu.Item c="var(--gh-bad)" onClick={() => setDialog('delete')}>
              Delete the player
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'ban' && <BanDialog {...common} />}
      {dialog === 'liftBan' && <LiftBanDialog {...common} />}
      {dialog === 'forceLogout' && (
        <ForceLogoutDialog {...common} openSessions={player.counts.openSessions} />
      )}
      {dialog === 'role' && <ChangeRoleDialog {...common} role={player.tenantRole} />}
      {dialog === 'delete' && (
        <DeletePlayerDialog playerId={player.playerId} name={name} onClose={common.onClose} />
      )}
    </>
  );
}
