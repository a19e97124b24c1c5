import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../components/Page';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/platform/audit');

export function PlatformAuditPage() {
  const navigate = useNavigate({ from: '/platform/audit' });
  return (
    <Page title="All audit records" subtitle="Who changed what on this server" fill>
      <AuditTable
        scope={{ kind: 'platform' }}
        filter={route.useSearch()}
        onOpen={(search) => void navigate({ search })}
        onFilter={(changes) =>
          void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
        }
      />
    </Page>
  );
}
