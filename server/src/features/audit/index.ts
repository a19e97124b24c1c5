export { auditTrail, difference, type AuditEntry } from './record.ts';
export { auditRoutes } from './routes.ts';
