import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { Guid } from '../../../http/schemas.ts';
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

/** Behind a platform admin. */
export function platformAuditRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/audit-records',
      {
        schema: {
          operationId: 'listAllAuditRecords',
          tags: ['Administration'],
          summary: 'List all audit records',
          description:
            'The newest first: of all workspaces and tenants, and those of none, such as the deletion of a player.',
          querystring: AuditQuery,
          response: { 200: AuditRecordPage },
        },
      },
      async (request) => listAuditRecords(database, 'everywhere', request.query),
    );
  };
}
