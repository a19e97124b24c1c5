export { exchangeRefreshToken, type RefreshRequest } from './exchange-refresh-token.ts';
export type { TokenUse } from './classify-use.ts';
