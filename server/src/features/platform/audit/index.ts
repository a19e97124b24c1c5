export { auditActions, type AuditAction } from './actions.ts';
export { audit, auditAll, difference, type AuditEntry } from './audit-trail.ts';
export { auditUpkeep } from './audit-upkeep.ts';
export { eraseAuditAddresses } from './queries.ts';
export { auditRoutes, platformAuditRoutes } from './routes.ts';
