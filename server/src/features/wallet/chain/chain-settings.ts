import type { Address, Hex } from 'viem';

/** An EVM chain, and who writes to which contract there. */
export interface ChainSettings {
  rpcUrl: string;
  contract: Address;
  signerKey: Hex;
  confirmations: number;
}
