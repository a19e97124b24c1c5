import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { TenantPath, WorkspacePath } from '../../../http/schemas.ts';
import { listAuditRecords } from './list-records.ts';
import { AuditQuery, AuditRecordPage } from './schemas.ts';

/** The audit trail of a tenant or workspace. The endpoints require a console account. */
export function auditRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/audit-records',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantAuditRecords',
          tags: ['Tenants'],
          summary: 'List audit records of a tenant',
          description: 'Returns the audit records of the tenant, newest first.',
          params: TenantPath,
          querystring: AuditQuery,
          response: { 200: AuditRecordPage },
        },
      },
      async (request) => listAuditRecords(database, request.params, request.query),
    );

    app.get(
      '/api/workspaces/:workspaceId/audit-records',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listWorkspaceAuditRecords',
          tags: ['Workspaces'],
          summary: 'List audit records of a workspace',
          description: 'Returns the audit records of the workspace and its tenants, newest first.',
          params: WorkspacePath,
          querystring: AuditQuery,
          response: { 200: AuditRecordPage },
        },
      },
      async (request) => listAuditRecords(database, request.params, request.query),
    );
  };
}

/** The audit trail of the deployment. The endpoint requires a platform administrator. */
export function platformAuditRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/audit-records',
      {
        schema: {
          operationId: 'listPlatformAuditRecords',
          tags: ['Administration'],
          summary: 'List all audit records',
          description:
            'Returns the audit records of the whole deployment, newest first. Records without workspace and tenant are included, ' +
            'for example the deletion of a player.',
          querystring: AuditQuery,
          response: { 200: AuditRecordPage },
        },
      },
      async (request) => listAuditRecords(database, 'deployment', request.query),
    );
  };
}
