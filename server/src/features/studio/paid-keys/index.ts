export { announceAgreement, requirePayer } from './agree-to-pay.ts';
export { endPaymentsOf } from './end-payments.ts';
export { lockTeamForShare } from './queries.ts';
export { paidKeyRoutes } from './routes.ts';
