import { Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Boxes, Check, ChevronsUpDown, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { distinctNames } from '../../components/format';
import { State } from '../../components/State';
import { useWorkspaceNames } from '../account';
import { gamesQuery, lastGameId, usePlace } from '../game';
import classes from './TopBar.module.css';

export function WorkspaceSwitcher() {
  const { workspaceId } = usePlace();
  const names = useWorkspaceNames();
  const navigate = useNavigate();
  const open = (id: string): void => {
    const tenantId = lastGameId(id);
    void (tenantId === undefined
      ? navigate({ to: '/workspaces/$workspaceId', params: { workspaceId: id } })
      : navigate({ to: '/games/$tenantId', params: { tenantId } }));
  };
  return (
    <Switcher label="Workspace" name={names.get(workspaceId ?? '') ?? 'No workspace'}>
      {[...names].map(([id, name]) => (
        <Menu.Item key={id} onClick={() => open(id)} rightSection={id === workspaceId && <Check size={14} />}>
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item leftSection={<Plus size={14} />} onClick={() => void navigate({ to: '/workspaces' })}>
        Create or join a workspace
      </Menu.Item>
    </Switcher>
  );
}

export function GameSwitcher() {
  const { workspaceId, tenantId, gameName } = usePlace();
  const games = useQuery({ ...gamesQuery(workspaceId ?? ''), enabled: workspaceId !== undefined });
  const navigate = useNavigate();
  if (workspaceId === undefined) return null;
  const names = distinctNames(games.data?.items ?? []);
  return (
    <>
      <span className={classes.slash} aria-hidden>
        /
      </span>
      <Switcher
        label="Game"
        name={
          names.get(tenantId ?? '') ??
          gameName ??
          (tenantId === undefined && !games.isPending ? 'No game' : '…')
        }
      >
        {games.data?.items.map(({ id, isActive }) => (
          <Menu.Item
            key={id}
            onClick={() => void navigate({ to: '/games/$tenantId', params: { tenantId: id } })}
            rightSection={
              <>
                {!isActive && <State tone="bad">Disabled</State>}
                {id === tenantId && <Check size={14} />}
              </>
            }
          >
            {names.get(id)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<Boxes size={14} />}
          onClick={() => void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId } })}
        >
          All games
        </Menu.Item>
      </Switcher>
    </>
  );
}

function Switcher({ label, name, children }: { label: string; name: string; children: ReactNode }) {
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.switcher} aria-label={`${label}: ${name}`}>
          <span data-truncate>{name}</span>
          <ChevronsUpDown size={13} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
