import { getRouteApi } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/games/$tenantId/audit');

export function GameAuditPage() {
  const { id, name } = useGame();
  return (
    <Page title="Audit log" subtitle={`Who changed what in ${name}`} fill>
      <AuditTable scope={{ kind: 'game', tenantId: id }} filter={route.useSearch()} />
    </Page>
  );
}
