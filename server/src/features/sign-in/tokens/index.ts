export { ACCESS_TOKEN_SECONDS, signAccessToken } from './issue-tokens.ts';
export { deleteExpiredTokens, revokePlayerTokens } from './queries.ts';
export { refreshRoutes } from './routes.ts';
export { LoginResult } from './schemas.ts';
