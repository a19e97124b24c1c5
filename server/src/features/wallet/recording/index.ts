export { createWalletLedger, type WalletLedger } from './ledger.ts';
export { walletLedgerRoutes } from './ledger-routes.ts';
export { walletPlayerRoutes } from './player-routes.ts';
export { createEvmRecorder } from './evm-recorder.ts';
export { hashChainRecorder, type Recorder } from './recorder.ts';
export { walletRecordingRoutes } from './recording-routes.ts';
export { verifyEnqueued } from './verify-enqueued.ts';
export { verifyOnChain } from './verify-on-chain.ts';
export { verifyLedger } from './verify-ledger.ts';
