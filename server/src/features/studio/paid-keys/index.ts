export { endPaymentsOf } from './end-payments.ts';
export { recordPayerChange, recordRotation } from './record-payer-change.ts';
export { requirePayer } from './require-payer.ts';
export { lockTeamForShare } from './queries.ts';
export { paidKeyRoutes } from './routes.ts';
export { createPayerBudget, type PayerBudget } from './payer-budget.ts';
