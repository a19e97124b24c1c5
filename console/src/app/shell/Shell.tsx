import { Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { onlineManager } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { TipLayer } from '../../components/TipLayer';
import { Downloads } from './Downloads';
import { SideBar } from './SideBar';
import { TopBar } from './TopBar';
import { useKeptFocus } from './use-kept-focus';
import classes from './Shell.module.css';

const loadPalette = () => import('./CommandPalette');
const CommandPalette = lazy(() => loadPalette().then((module) => ({ default: module.CommandPalette })));

/** Loads the palette after the page, so that it has the focus before the first key of a quick reader. */
function usePaletteWhenIdle(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => {}), 1_000);
    return () => clearTimeout(timer);
  }, []);
}

/** Whether the browser has a connection. Without one, requests wait. */
const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

/** The frame of all pages of a signed-in account: top bar, side bar, command palette. */
export function Shell() {
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const { pathname } = useLocation();
  const isOnline = useIsOnline();
  usePaletteWhenIdle();
  useKeptFocus();
  useHotkeys([['mod+K', palette.open]], []);
  const closeMenu = menu.close;
  useEffect(() => closeMenu(), [pathname, closeMenu]);

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <TopBar onOpenMenu={menu.open} onOpenPalette={palette.open} />
      <div className={classes.side}>
        <SideBar />
      </div>
      {isMenuOpen && (
        <Drawer opened onClose={menu.close} position="left" size={260} title="Menu">
          <SideBar />
        </Drawer>
      )}
      {!isOnline && (
        <div className={classes.offline} role="status">
          No connection. The page continues when the connection is back.
        </div>
      )}
      <main id="content" className={classes.content} tabIndex={-1}>
        <Outlet />
      </main>
      <Downloads />
      <TipLayer />
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette onClose={palette.close} />
        </Suspense>
      )}
    </div>
  );
}
