export { abandonWaiting } from './abandon-waiting.ts';
export { deployContract, type DeploymentSettings } from './deploy-contract.ts';
export { describeChain } from './describe-chain.ts';
export { enqueueBatch } from './enqueue-batch.ts';
export { callGas, type Batch } from './ledger-call.ts';
export { measureChain } from './measure-chain.ts';
export { openChain, openConfiguredChain, type Chain, type ChainSettings } from './open-chain.ts';
export {
  countOpen,
  findTransactionStatus,
  findFirstHash,
  filterConfirmed,
  findLastEnqueued,
  readClock,
  readWriterStatus,
  type TransactionStatus,
} from './queries.ts';
export { readAppended } from './read-appended.ts';
export { listBatches, readBatches } from './read-batches.ts';
export { startChainSender } from './chain-sender.ts';
