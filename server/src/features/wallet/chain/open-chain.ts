import { decodeFunctionResult, encodeFunctionData, type Address, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';
import { OperatorError } from '../../../core/operator-error.ts';
import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import { listTenantIds } from '../../studio/tenants/index.ts';
import { ChainNodeError, createChainNode, type ChainNode } from './chain-node.ts';
import { findContractFault } from './contract-faults.ts';
import { tenantOnChain } from './ledger-call.ts';
import { createChainReader, type ChainReader } from './chain-reader.ts';
import { abandonConfirmed, countOpen, findLastEnqueued, lowerHead } from './queries.ts';
import { findWriter, insertWriter, type ContractOnChain, type Writer } from './writer-queries.ts';
import { createSigner, type Sign } from './signer.ts';

/** The CHAIN_ settings: an EVM chain, the contract there, and the key of the signer. */
export interface ChainSettings {
  rpcUrl: string;
  contract: Address;
  signerKey: Hex;
  /** The number of blocks, including its own, after which a transaction is final. */
  confirmations: number;
  /** The highest fee per unit of gas that is offered, in wei. */
  feeLimit: number;
}

/** The chain that entries are recorded on. */
export interface Chain extends Pick<ChainSettings, 'rpcUrl' | 'confirmations' | 'feeLimit'> {
  node: ChainNode;
  writer: Writer;
  sign: Sign;
  reader: ChainReader;
}

/**
 * Opens the configured chain. The node must be available only at the first start. Afterwards the database contains the chain id
 * and the next nonce, and calls wait in the outbox while the node is unavailable.
 */
export async function openChain(database: Database, settings: ChainSettings): Promise<Chain> {
  const { rpcUrl, contract, signerKey, confirmations, feeLimit } = settings;
  const node = createChainNode(rpcUrl);
  const address = privateKeyToAddress(signerKey);
  const writer = await findOrRegisterWriter(database, node, address, contract);
  return {
    rpcUrl,
    node,
    writer,
    sign: createSigner(signerKey, writer),
    confirmations,
    feeLimit,
    reader: createChainReader(database, rpcUrl, writer, confirmations),
  };
}

/** Opens the chain if one is configured. Throws {@link OperatorError}, for example if calls wait for another chain. */
export async function openConfiguredChain(
  database: Database,
  settings: ChainSettings | undefined,
): Promise<Chain | undefined> {
  const chain = settings && (await openChain(database, settings));
  await refuseWhileOthersWait(database, chain?.writer);
  return chain;
}

/** Throws if calls of another writer wait. `undefined` stands for a deployment without a chain. */
async function refuseWhileOthersWait(db: Querier, writer: Writer | undefined): Promise<void> {
  const waiting = await countOpen(db, writer);
  if (waiting > 0)
    throw new OperatorError(
      `${waiting} transactions wait that were signed with other CHAIN_ settings. Start with those settings until ` +
        '`guildhall chain status` shows no pending transaction. If that chain no longer exists, run `guildhall chain abandon`.',
    );
}

/**
 * Finds the writer on the chain of the node, or on any chain if the node does not respond. A known writer can record even if the node
 * does not have the contract, for example while it synchronizes: the sender reports this fault.
 */
async function findOrRegisterWriter(
  database: Database,
  node: ChainNode,
  signer: Address,
  contract: Address,
): Promise<Writer> {
  let chainId: number | undefined;
  try {
    chainId = await node.chainId();
    const writer = { chainId, contract, signer };
    return (await findWriter(database, writer)) ?? (await registerWriter(database, node, writer));
  } catch (error) {
    if (!(error instanceof ChainNodeError)) throw error;
    // A writer on another chain than that of the node must not record.
    const known = chainId === undefined ? await findWriter(database, { signer, contract }) : undefined;
    if (known) return known;
    throw new OperatorError(
      `The node of CHAIN_RPC_URL does not respond, or returns an error (${error.message}). It must be available at the first start ` +
        'with a contract and a signer.',
      { cause: error },
    );
  }
}

/**
 * Registers the writer with the nonce from the node. It continues after the entries that the contract has, because calls of an earlier
 * writer may have been abandoned.
 */
async function registerWriter(
  database: Database,
  node: ChainNode,
  writer: Omit<Writer, 'id'>,
): Promise<Writer> {
  const fault = await findContractFault(node, writer);
  if (fault) throw new OperatorError(fault);
  const [head, nextNonce] = await Promise.all([node.head(), node.transactionCount(writer.signer, 'pending')]);
  const ledgerHeads = await readLedgerHeads(database, node, writer);
  // A node that synchronizes does not have the entries yet.
  const isEmpty = ledgerHeads.every(({ index }) => index === 0) && !(await node.isSyncing());
  await database.transaction(async (transaction) => {
    // If another process was faster, it may have enqueued calls already.
    if (!(await insertWriter(transaction, writer, nextNonce, head))) return;
    // The contract is a new one at the address of one that is gone.
    if (isEmpty) await abandonConfirmed(transaction, writer);
    for (const { tenantId, index } of ledgerHeads) {
      await enterScope(transaction, 'tenant_id', tenantId);
      await lowerHead(transaction, tenantId, writer, index);
    }
  });
  return (await findWriter(database, writer))!;
}

/** The newest entry in the contract of each tenant whose entries were enqueued for it. */
async function readLedgerHeads(
  database: Database,
  node: ChainNode,
  target: ContractOnChain,
): Promise<{ tenantId: string; index: number }[]> {
  const heads = [];
  for (const tenantId of await listTenantIds(database.forPlatform())) {
    if ((await findLastEnqueued(database.forTenant(tenantId), tenantId, target)) === 0) continue;
    const call = { abi: guildhallLedgerAbi, functionName: 'heads' } as const;
    const data = await node.read(
      target.contract,
      encodeFunctionData({ ...call, args: [tenantOnChain(tenantId)] }),
    );
    heads.push({ tenantId, index: Number(decodeFunctionResult({ ...call, data })[0]) });
  }
  return heads;
}
