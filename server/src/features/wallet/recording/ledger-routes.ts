import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { keyOf } from '../../../http/request-context.ts';
import { readChain, readTransaction } from './read-ledger.ts';
import type { Recorder } from './recorders/recorder.ts';
import { Chain, ChainQuery, Transaction, TransactionPath } from './schemas.ts';

const tags = ['Wallet recording'];

/** Behind a game key or a platform JWT: the ledger itself, for whoever wants to check it. */
export function walletLedgerRoutes(services: {
  database: Database;
  recorder: Recorder;
}): FastifyPluginAsyncTypebox {
  const tenantOf = (request: FastifyRequest) => (request.walletCaller ?? keyOf(request)).tenantId;

  return async (app) => {
    app.get(
      '/api/BlockchainStorage/transactions/:transactionHash',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletTransaction',
          tags,
          summary: 'What a transaction has recorded',
          description: 'With all that is needed to compute its hashes again.',
          params: TransactionPath,
          response: { 200: Transaction },
        },
      },
      async (request) => readTransaction(services, tenantOf(request), request.params.transactionHash),
    );

    app.get(
      '/api/BlockchainStorage/transactions',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'listWalletChain',
          tags,
          summary: 'How the entries of the ledger hang together',
          description:
            'The content hash of every entry, without what it says: enough to prove that an entry belongs to the chain that ends in ' +
            'a head. Write a head down, and nobody can change what came before it without your noticing.',
          querystring: ChainQuery,
          response: { 200: Chain },
        },
      },
      async (request) => readChain(services.database, tenantOf(request), request.query),
    );
  };
}
