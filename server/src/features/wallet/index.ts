import { behind } from '../feature-group.ts';
import {
  tenantLedgerRoutes,
  walletLedgerRoutes,
  walletPlayerRoutes,
  walletRecordingRoutes,
} from './recording/index.ts';

/** Recording by wallet-linked players, in a hash-chained ledger and on an EVM chain. */
export const wallet = {
  routes: [
    behind('gameKey', walletPlayerRoutes),
    behind('walletPlayer', walletRecordingRoutes),
    behind('gameKeyOrWalletPlayer', walletLedgerRoutes),
    behind('account', tenantLedgerRoutes),
  ],
};
