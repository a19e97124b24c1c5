import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { ChainSettings } from './chain-settings.ts';
import type { Database, Querier } from '../../../database/database.ts';
import { ChainUnavailableError, ChainRefusedError, openChainNode, type ChainNode } from './chain-node.ts';
import { faultOfContract } from './explain.ts';
import { enqueueBatch } from './enqueue-batch.ts';
import type { Batch } from './ledger-call.ts';
import { createChainReader, type ChainReader } from './read-chain.ts';
import { addWriter, countWaiting, findWriter, type Writer } from './queries.ts';
import { createSigner, type Signer } from './signer.ts';

/** The chain that entries are recorded on. */
export interface Chain {
  rpcUrl: string;
  node: ChainNode;
  writer: Writer;
  signer: Signer;
  confirmations: number;
  /** Hands a batch over to the chain, in the transaction that writes it. Returns the hash of its transaction. */
  enqueueBatch(transaction: Querier, batch: Batch): Promise<Hex>;
  reader: ChainReader;
}

/** Thrown at start where the chain, or what the operator says of it, cannot be used. The message says what to do. */
export class ChainConfigurationError extends Error {
  override name = 'ChainConfigurationError';
}

/**
 * Opens the chain of the settings. The node must be there the first time only: from then on the database knows which chain it
 * is and which nonce comes next, and a node that is away delays, and stops nothing.
 */
export async function openChain(database: Database, settings: ChainSettings): Promise<Chain> {
  const { rpcUrl, contract, signerKey, confirmations } = settings;
  const node = openChainNode(rpcUrl);
  const address = privateKeyToAddress(signerKey);
  const writer =
    (await learnWriter(database, node, address, contract)) ?? (await findWriter(database, address, contract));
  if (!writer)
    throw new ChainConfigurationError(
      'The node of CHAIN_RPC_URL does not answer. It is needed at the first start with a contract and a signer.',
    );
  const signer = createSigner(signerKey, contract, writer.chainId);
  return {
    rpcUrl,
    node,
    writer,
    signer,
    confirmations,
    enqueueBatch: (transaction, batch) => enqueueBatch(transaction, writer, signer, batch),
    reader: createChainReader(database, rpcUrl, writer, confirmations),
  };
}

/** Opens the chain where there is one, and sees that nothing waits for another. Throws {@link ChainConfigurationError}. */
export async function openConfiguredChain(
  database: Database,
  settings: ChainSettings | undefined,
): Promise<Chain | undefined> {
  const chain = settings && (await openChain(database, settings));
  await refuseWhileOthersWait(database, chain?.writer);
  return chain;
}

/** Throws where calls wait that these settings cannot bring to the chain; `undefined` is a deployment without one. */
async function refuseWhileOthersWait(db: Querier, writer: Writer | undefined): Promise<void> {
  const waiting = await countWaiting(db, writer);
  if (waiting > 0)
    throw new ChainConfigurationError(
      `${waiting} transactions wait that were signed with other CHAIN_ settings. Start with those until ` +
        '`guildhall chain status` shows that none waits, or, where that chain is gone, give them up: `guildhall chain abandon`.',
    );
}

/** Asks the node who we are there. Undefined where it gives no answer. */
async function learnWriter(
  database: Database,
  node: ChainNode,
  signer: Address,
  contract: Address,
): Promise<Writer | undefined> {
  try {
    const fault = await faultOfContract(node, signer, contract);
    if (fault) throw new ChainConfigurationError(fault);
    const [chainId, head, priorityFee, nextNonce] = await Promise.all([
      node.chainId(),
      node.head(),
      node.priorityFee(),
      node.transactionCount(signer, 'pending'),
    ]);
    return await addWriter(
      database,
      { chainId, contract, signer },
      { nextNonce, baseFee: head.baseFee, priorityFee, headBlock: head.number },
    );
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof ChainRefusedError) return undefined;
    throw error;
  }
}
