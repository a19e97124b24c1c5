import {
  ActionIcon,
  Kbd,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
  useComputedColorScheme,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, Moon, Search, Sun, UserRound } from 'lucide-react';
import { meQuery } from '../account';
import { useSignOut } from '../sign-out';
import { NotificationBell } from './NotificationBell';
import { GameSwitcher, WorkspaceSwitcher } from './Switchers';
import classes from './TopBar.module.css';

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

export function TopBar({ onOpenMenu, onOpenPalette }: { onOpenMenu: () => void; onOpenPalette: () => void }) {
  return (
    <header className={classes.bar}>
      <ActionIcon
        className={classes.menu}
        variant="subtle"
        color="gray"
        aria-label="Open the menu"
        onClick={onOpenMenu}
      >
        <MenuIcon size={18} />
      </ActionIcon>
      <Link to="/" className={classes.logo} aria-label="Guildhall">
        <img src="/favicon.svg" width={22} height={22} alt="" />
      </Link>
      <div className={classes.workspace}>
        <WorkspaceSwitcher />
      </div>
      <GameSwitcher />
      <UnstyledButton className={classes.search} onClick={onOpenPalette} aria-label={`Search ${SHORTCUT}`}>
        <Search size={14} aria-hidden />
        <span>Search </span>
        <Kbd size="xs">{SHORTCUT}</Kbd>
      </UnstyledButton>
      <NotificationBell />
      <AccountMenu />
    </header>
  );
}

function AccountMenu() {
  const { data } = useQuery(meQuery);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Account">
          <UserRound size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{data?.user.email}</Menu.Label>
        <Menu.Item leftSection={<UserRound size={14} />} onClick={() => void navigate({ to: '/account' })}>
          Account and security
        </Menu.Item>
        <Menu.Item
          leftSection={scheme === 'dark' ? <Sun size={14} /> : <Moon size={14} />}
          onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
        >
          {scheme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={14} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
