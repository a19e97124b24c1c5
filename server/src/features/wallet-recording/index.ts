export { openWalletLedger, type WalletLedger } from './ledger.ts';
export { walletLedgerRoutes } from './ledger-routes.ts';
export { walletPlayerRoutes } from './player-routes.ts';
export { evmRecorder } from './recorders/evm.ts';
export { hashChain } from './recorders/hash-chain.ts';
export type { Recorder } from './recorders/recorder.ts';
export { walletRecordingRoutes } from './recording-routes.ts';
export { verifyOnChain } from './verify-on-chain.ts';
export { verifyLedger } from './verify-ledger.ts';
