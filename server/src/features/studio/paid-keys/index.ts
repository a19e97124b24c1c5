export { announceAgreement, auditRotation, requirePayer } from './agree-to-pay.ts';
export { announceEndByOwner, endPaymentsOf } from './end-payments.ts';
export { lockTeamForShare } from './queries.ts';
export { paidKeyRoutes } from './routes.ts';
export { createPayerBudget, type PayerBudget } from './payer-budget.ts';
