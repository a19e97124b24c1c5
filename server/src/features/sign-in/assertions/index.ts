export { identifyBearer } from './identify-bearer.ts';
export { deleteExpiredThirdPartyTokens, redactThirdPartyTokens } from './queries.ts';
export { assertionExchangeRoutes, assertionValidationRoutes } from './routes.ts';
