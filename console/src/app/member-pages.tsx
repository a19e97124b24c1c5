import { Outlet, useParams } from '@tanstack/react-router';
import { useCan } from './account';
import { useGame } from './game';
import { NotFoundPage } from './RouteErrorPage';

// The account may lose its membership while a page is open. The page then shows nothing of the workspace any more.

export function GamePages() {
  return useCan(useGame().workspaceId, 'viewer') ? <Outlet /> : <NotFoundPage what="game" />;
}

export function WorkspacePages() {
  const { workspaceId } = useParams({ from: '/app/workspaces/$workspaceId' });
  return useCan(workspaceId, 'viewer') ? <Outlet /> : <NotFoundPage what="workspace" />;
}
