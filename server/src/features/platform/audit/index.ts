export { auditTrail, difference, type AuditEntry } from './record.ts';
export { auditRoutes, platformAuditRoutes } from './routes.ts';
