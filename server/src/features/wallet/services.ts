import type { BaseServices, CloseLater } from '../base-services.ts';
import { measureChain, openConfiguredChain, type ChainSettings } from './chain/index.ts';
import { createEvmRecorder, createWalletLedger, hashChainRecorder } from './recording/index.ts';

export async function openWalletServices(
  { database, vault, metrics }: BaseServices,
  config: { chain: ChainSettings | undefined },
  closeLater: CloseLater,
) {
  const chain = await openConfiguredChain(database, config.chain);
  const recorder = chain ? createEvmRecorder(chain, vault) : hashChainRecorder;
  const ledger = closeLater(createWalletLedger(database, recorder));
  if (chain) measureChain(metrics, database, chain);
  return { chain, recorder, ledger };
}
