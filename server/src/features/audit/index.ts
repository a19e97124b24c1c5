export { auditTrail, type AuditEntry } from './record.ts';
