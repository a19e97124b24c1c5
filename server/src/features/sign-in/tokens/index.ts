export { issueTokens, playerOfClaims, type IssuedTokens } from './access-token.ts';
export { playerTokens, type PlayerTokens } from './player-tokens.ts';
export { deleteExpiredTokens, revokePlayerTokens } from './queries.ts';
export { createRefreshBatcher } from './refresh-batcher.ts';
export { playerVerificationRoutes, refreshRoutes } from './routes.ts';
export { LoginResult, tokenFields } from './schemas.ts';
export { verifyPlayer } from './verify-player.ts';
