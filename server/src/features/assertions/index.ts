export { identifyBearer } from './identify-bearer.ts';
export { deleteExpiredThirdPartyTokens } from './queries.ts';
export { assertionExchangeRoutes, assertionValidationRoutes } from './routes.ts';
