export { exchangeRefreshToken, type RefreshRequest, type TokenUse } from './refresh-token-exchange.ts';
