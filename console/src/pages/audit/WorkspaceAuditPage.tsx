import { getRouteApi } from '@tanstack/react-router';
import { useGameNames } from '../../app/game';
import { Page } from '../../components/Page';
import { useMemberNames } from '../members/queries';
import { useKeyNames } from '../usage/queries';
import { useWebhookNames } from '../webhooks/queries';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/workspaces/$workspaceId/audit');

export function WorkspaceAuditPage() {
  const { workspaceId } = route.useParams();
  const names = [
    useGameNames(workspaceId),
    useMemberNames(workspaceId),
    useKeyNames(workspaceId),
    useWebhookNames(workspaceId),
  ];
  return (
    <Page title="Workspace audit log" subtitle="Who changed what in this workspace and its games" fill>
      <AuditTable scope={{ kind: 'workspace', workspaceId }} search={route.useSearch()} names={names} />
    </Page>
  );
}
