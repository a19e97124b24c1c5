import type { Database } from '../../database/database.ts';
import { NO_TENANT_ID } from '../../http/idempotency-key.ts';
import { behind, openToAnyone } from '../feature-group.ts';
import { auditRoutes, platformAuditRoutes } from './audit/index.ts';
import { deleteOldResponses } from './idempotency/index.ts';
import { operationsAdministrationRoutes, operationsRoutes } from './operations/index.ts';
import { deleteRetiredKeys, signingKeyRoutes } from './signing-keys/index.ts';

/** The operation of the platform: the audit trail, signing keys, health, and repeated requests. */
export const platform = {
  routes: [
    openToAnyone(operationsRoutes),
    behind('account', auditRoutes),
    behind('platformAdmin', platformAuditRoutes, signingKeyRoutes, operationsAdministrationRoutes),
  ],
  expiry: {
    ofTenant: [deleteOldResponses],
    global: [
      (database: Database) => deleteOldResponses(database.forTenant(NO_TENANT_ID), NO_TENANT_ID),
      deleteRetiredKeys,
    ],
  },
};
