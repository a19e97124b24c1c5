export { openWalletLedger, type WalletLedger } from './ledger.ts';
export { hashChain } from './recorders/hash-chain.ts';
export type { Recorder } from './recorders/recorder.ts';
