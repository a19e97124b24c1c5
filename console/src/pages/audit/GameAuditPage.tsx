import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCanChangeGame, useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { useDefinitionNames } from '../definitions/queries';
import { usePlayerNames } from '../players/queries';
import { useKeyNames } from '../usage/queries';
import { AuditTable } from './AuditTable';
import { playerIdsIn } from './names';
import { auditQuery } from './queries';

const route = getRouteApi('/app/games/$tenantId/audit');

export function GameAuditPage() {
  const { id, name, workspaceId } = useGame();
  const filter = route.useSearch();
  const scope = { kind: 'game', tenantId: id } as const;
  const records = useInfiniteQuery(auditQuery(scope, filter)).data?.pages.flatMap(({ items }) => items);
  const names = [
    new Map([[id, name]]),
    usePlayerNames(id, playerIdsIn(records ?? [])),
    useKeyNames(workspaceId),
    useDefinitionNames(id, { enabled: useCanChangeGame() }),
  ];
  return (
    <Page title="Audit log" subtitle={`Who changed what in ${name}`} fill>
      <AuditTable scope={scope} filter={filter} names={names} />
    </Page>
  );
}
