import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/games/$tenantId/audit');

export function GameAuditPage() {
  const { id, name } = useGame();
  const navigate = useNavigate({ from: '/games/$tenantId/audit' });
  return (
    <Page title="Audit log" subtitle={`Who changed what in ${name}`} fill>
      <AuditTable
        scope={{ kind: 'game', tenantId: id }}
        filter={route.useSearch()}
        onOpen={(search) => void navigate({ search })}
        onFilter={(changes) =>
          void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
        }
      />
    </Page>
  );
}
