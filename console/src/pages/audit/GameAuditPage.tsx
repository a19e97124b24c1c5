import { getRouteApi } from '@tanstack/react-router';
import { useCanChangeGame, useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { useDefinitionNames } from '../definitions/queries';
import { useKeyNames } from '../usage/queries';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/games/$tenantId/audit');

export function GameAuditPage() {
  const { id, name, workspaceId } = useGame();
  const search = route.useSearch();
  const names = [
    new Map([[id, name]]),
    useKeyNames(workspaceId),
    useDefinitionNames(id, { enabled: useCanChangeGame() }),
  ];
  return (
    <Page title="Audit log" subtitle={`Who changed what in ${name}`} fill>
      <AuditTable scope={{ kind: 'game', tenantId: id }} search={search} names={names} />
    </Page>
  );
}
