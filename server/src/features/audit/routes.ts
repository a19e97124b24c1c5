import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import { Guid } from '../../http/schemas.ts';
import { listAuditRecords } from './list-records.ts';
import { AuditQuery, AuditRecordPage } from './schemas.ts';

/** Behind a dashboard account. */
export function auditRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/audit-records',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantAuditRecords',
          tags: ['Tenants'],
          summary: 'What was done in a tenant',
          description: 'The newest first.',
          params: Type.Object({ tenantId: Guid }),
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
          summary: 'What was done in a workspace',
          description: 'The newest first; what was done in its tenants is among it.',
          params: Type.Object({ workspaceId: Guid }),
          querystring: AuditQuery,
          response: { 200: AuditRecordPage },
        },
      },
      async (request) => listAuditRecords(database, request.params, request.query),
    );
  };
}
