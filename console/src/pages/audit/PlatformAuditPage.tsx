import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../components/Page';
import { AuditTable } from './AuditTable';

const route = getRouteApi('/app/platform/audit');

export function PlatformAuditPage() {
  return (
    <Page title="All audit records" subtitle="Who changed what on this server" fill>
      <AuditTable scope={{ kind: 'platform' }} search={route.useSearch()} />
    </Page>
  );
}
