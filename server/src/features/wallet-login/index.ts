export { openContractWallets } from './contract-wallets.ts';
export { deleteExpiredChallenges } from './queries.ts';
export { walletLoginRoutes } from './routes.ts';
