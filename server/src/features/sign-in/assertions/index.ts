export { identifyBearer, playerOfClaims } from './identify-bearer.ts';
export { deleteExpiredThirdPartyTokens, redactThirdPartyTokens } from './queries.ts';
export { assertionExchangeRoutes, assertionValidationRoutes } from './routes.ts';
export { requireAllowedPlayer } from './sign-assertion.ts';
