import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCan } from './account';
import { rememberGame, useGame } from './game';
import { NotFoundPage } from './RouteErrorPage';

// The account may lose its membership while a page is open. The page then shows nothing of the workspace any more.

export function GamePages() {
  const game = useGame();
  useEffect(() => rememberGame(game), [game]);
  return useCan(game.workspaceId, 'viewer') ? <Outlet /> : <NotFoundPage what="game" />;
}

export function WorkspacePages() {
  const { workspaceId } = useParams({ from: '/app/workspaces/$workspaceId' });
  return useCan(workspaceId, 'viewer') ? <Outlet /> : <NotFoundPage what="workspace" />;
}
