import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../components/Page';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/workspaces/$workspaceId/audit');

export function WorkspaceAuditPage() {
  const { workspaceId } = route.useParams();
  return (
    <Page title="Workspace audit log" subtitle="Who changed what in this workspace and its games" fill>
      <AuditTable scope={{ kind: 'workspace', workspaceId }} filter={route.useSearch()} />
    </Page>
  );
}
