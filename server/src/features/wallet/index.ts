import { behind } from '../feature-group.ts';
import { walletLedgerRoutes, walletPlayerRoutes, walletRecordingRoutes } from './recording/index.ts';

/** Recording by wallet-linked players, in a hash-chained ledger and on an EVM chain. */
export const wallet = {
  routes: [
    behind('gameKey', walletPlayerRoutes),
    behind('walletPlayer', walletRecordingRoutes),
    behind('gameKeyOrWalletPlayer', walletLedgerRoutes),
  ],
};
