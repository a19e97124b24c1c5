export { auditTrail, difference, type AuditEntry } from './audit-trail.ts';
export { auditRoutes, platformAuditRoutes } from './routes.ts';
