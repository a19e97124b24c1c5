import { Drawer, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, type ComponentType } from 'react';
import { useAnnouncement } from '../../components/announcer';
import { PageSkeleton } from '../../components/PageSkeleton';
import { TipLayer } from '../../components/TipLayer';
import { requestedKey } from '../../pages/first-run/requested-key';
import { loadCode } from '../load-code';
import { ConnectionNotice } from './ConnectionNotice';
import { Downloads } from './Downloads';
import { SideBar } from './SideBar';
import { WorkspaceSwitcher } from './Switchers';
import { TopBar } from './TopBar';
import { useKeptFocus } from './use-kept-focus';
import classes from './Shell.module.css';
import topBar from './TopBar.module.css';

type Palette = ComponentType<{ onClose: () => void }>;

let LoadedPalette: Palette | undefined;

const loadPalette = async () => {
  ({ CommandPalette: LoadedPalette } = await loadCode(() => import('./CommandPalette'), 'CommandPalette'));
  return { default: LoadedPalette };
};

/** React shows a lazy component 300 ms late even if its code is loaded, and keys that are typed meanwhile would be lost. */
const LazyPalette = lazy(loadPalette);

const NewGameKey = lazy(() =>
  loadCode(() => import('../../pages/first-run/NewGameKey'), 'NewGameKey').then((module) => ({
    default: module.NewGameKey,
  })),
);

/** The dialogs of a new game key, from its first request on: the key shows after the request has ended. */
function RequestedKey() {
  const isRequested = requestedKey.use() !== undefined;
  const [isLoaded, setLoaded] = useState(isRequested);
  if (isRequested && !isLoaded) setLoaded(true);
  return isLoaded && <NewGameKey />;
}

/** Loads the palette after the page, so that it has the focus before the first key of a quick reader. */
function usePaletteWhenIdle(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => {}), 1_000);
    return () => clearTimeout(timer);
  }, []);
}

/** The frame of all pages of a signed-in account: top bar, side bar, command palette. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure();
  const [OpenPalette, setOpenPalette] = useState<Palette>();
  const { pathname } = useLocation();
  usePaletteWhenIdle();
  useKeptFocus();
  const openPalette = () =>
    setOpenPalette((open: Palette | undefined) => open ?? LoadedPalette ?? LazyPalette);
  useHotkeys([['mod+K', openPalette]], []);
  const closeMenu = menu.close;
  useEffect(() => closeMenu(), [pathname, closeMenu]);

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <TopBar onOpenMenu={menu.open} onOpenPalette={openPalette} />
      <div className={classes.side} inert={isMenuOpen}>
        <SideBar collapses />
      </div>
      {isMenuOpen && (
        <Drawer opened onClose={menu.close} position="left" size={260} title="Menu">
          <WorkspaceSwitcher />
          <SideBar />
        </Drawer>
      )}
      <ConnectionNotice />
      <main id="content" className={classes.content} tabIndex={-1}>
        <Outlet />
      </main>
      <Downloads />
      <Suspense>
        <RequestedKey />
      </Suspense>
      <Announcement />
      <TipLayer />
      {OpenPalette && (
        <Suspense>
          <OpenPalette onClose={() => setOpenPalette(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

const Announcement = () => <VisuallyHidden role="status">{useAnnouncement()}</VisuallyHidden>;

/** The frame before the account is known. Without it, the content would move when the side bar appears. */
export const ShellSkeleton = () => (
  <div className={classes.shell}>
    <div className={topBar.bar} />
    <div className={classes.side} />
    <main className={classes.content}>
      <PageSkeleton title="Loading…" />
    </main>
  </div>
);
