export { openChallengeThrottle } from './challenge-throttle.ts';
export { openContractWallets } from './contract-wallets.ts';
export { deleteExpiredChallenges } from './queries.ts';
export { walletLoginRoutes } from './routes.ts';
export { VerifyBody } from './schemas.ts';
export { verifyMessage, type VerifyServices as WalletVerifyServices } from './verify-challenge.ts';
