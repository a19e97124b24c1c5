export { createChallengeBudget } from './challenge-budget.ts';
export { createContractWallets } from './contract-wallets.ts';
export { issueChallenge } from './issue-challenge.ts';
export { deleteExpiredChallenges, hasChallenge } from './queries.ts';
export { walletLoginRoutes, walletProofRoutes, type WalletLoginServices } from './routes.ts';
export { SIGNATURE_LENGTH, WalletLoginRequest } from './schemas.ts';
export {
  signInByMessage,
  verifyMessage,
  verifyProofMessage,
  type VerifyServices as WalletVerifyServices,
} from './verify-challenge.ts';
