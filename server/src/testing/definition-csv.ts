import type { Answer, Caller } from './http-client.ts';
import { arrangeAccount, arrangeTenant } from './arrange.ts';
import type { TestApp } from './test-app.ts';

/** Creates a tenant with an admin, and the calls of the admin. */
export async function arrangeStudio(app: TestApp) {
  const tenant = await arrangeTenant(app);
  const admin = await arrangeAccount(app, tenant, 'admin');
  const list = `/api/bus_tenants/${tenant.tenantId}/event-definitions`;
  return {
    tenant,
    admin,
    list,
    create: async (body: object) => (await app.http.post(list, body, admin)).body,
    read: async () => (await app.http.get(`${list}?includeInactive=true`, admin)).body,
    export: (query = '?includeInactive=true') => app.http.get(`${list}/export${query}`, admin),
    import: (csv: string | Buffer, overwrite?: boolean) =>
      uploadCsv(app, list, csvForm(csv, overwrite), admin),
    audit: async () =>
      (
        await app.owner.query(
          `SELECT action, target_id, actor_id, request_id, details FROM audit_records WHERE tenant_id = $1 ORDER BY id`,
          [tenant.tenantId],
        )
      ).rows,
  };
}

/** Creates a form like a browser. */
export function csvForm(csv: string | Buffer, overwrite?: boolean | string, field = 'file'): FormData {
  const parts = new FormData();
  parts.append(field, new Blob([csv as string], { type: 'text/csv' }), 'definitions.csv');
  if (overwrite !== undefined) parts.append('overwriteExisting', String(overwrite));
  return parts;
}

/** Sends a form to the import of event definitions. */
export function uploadCsv(
  app: TestApp,
  list: string,
  body: FormData | string | undefined,
  caller: Caller,
): Promise<Answer> {
  return app.http.raw('POST', `${list}/import`, body, caller);
}

/** The numbers of total, created, updated and failed rows of an import. */
export function counts({ totalRows, created, updated, failed }: Record<string, number>) {
  return [totalRows, created, updated, failed];
}
