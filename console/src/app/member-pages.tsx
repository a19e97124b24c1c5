import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { StateOfPages } from '../components/Page';
import { State } from '../components/State';
import { meQuery, useCan } from './account';
import { rememberGame, useGame } from './game';
import { NotAllowedPage, NotFoundPage } from './RouteErrorPage';

// The account may lose its membership while a page is open. The page then shows nothing of the workspace any more.

export function GamePages() {
  const game = useGame();
  useEffect(() => rememberGame(game), [game]);
  if (!useCan(game.workspaceId, 'viewer')) return <NotFoundPage what="game" />;
  return (
    <StateOfPages value={!game.isActive && <State tone="bad">Game disabled</State>}>
      <Outlet />
    </StateOfPages>
  );
}

export function WorkspacePages() {
  const { workspaceId } = useParams({ from: '/app/workspaces/$workspaceId' });
  return useCan(workspaceId, 'viewer') ? <Outlet /> : <NotFoundPage what="workspace" />;
}

export function PlatformPages() {
  const user = useQuery(meQuery).data?.user;
  if (user?.isPlatformAdmin) return <Outlet />;
  return (
    <NotAllowedPage>
      Only platform administrators see the pages of the platform. You are signed in as {user?.email}.
    </NotAllowedPage>
  );
}
