export { auditTrail, difference, type AuditEntry } from './record.ts';
