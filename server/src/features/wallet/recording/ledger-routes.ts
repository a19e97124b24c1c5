import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { keyOf } from '../../../http/request-context.ts';
import { readLinks, readTransaction, type LedgerServices } from './read-ledger.ts';
import { LinksQuery, WalletChain, WalletTransaction, TransactionPath } from './ledger-schemas.ts';

const tags = ['Wallet recording'];

/** Reads the ledger, so that clients can verify it. Requires a game key or a platform JWT. */
export function walletLedgerRoutes(services: LedgerServices): FastifyPluginAsyncTypebox {
  const tenantOf = (request: FastifyRequest) => (request.walletCaller ?? keyOf(request)).tenantId;

  return async (app) => {
    app.get(
      '/api/BlockchainStorage/transactions/:transactionHash',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletTransaction',
          tags,
          summary: 'Get a ledger transaction',
          description:
            'Returns the entries of a transaction, with all values that their hashes are computed from. ' +
            'With an EVM chain, `chain` says whether the transaction is final.',
          params: TransactionPath,
          response: { 200: WalletTransaction },
        },
      },
      async (request) => readTransaction(services, tenantOf(request), request.params.transactionHash),
    );

    app.get(
      '/api/BlockchainStorage/transactions',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'listWalletTransactions',
          tags,
          summary: 'List the links of the ledger',
          description:
            'Returns the hashes of up to 1,000 entries from an index on, without their contents, and the head of the chain. ' +
            'Read the contents of an entry with its `transactionHash`. The hashes prove that an entry belongs to the chain that ends in a head. ' +
            'Store a head outside of Guildhall to detect any later change of earlier entries.',
          querystring: LinksQuery,
          response: { 200: WalletChain },
        },
      },
      async (request) => readLinks(services.database, tenantOf(request), request.query),
    );
  };
}
