import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { listLedgerEntries } from './list-entries.ts';
import { readTenantTransaction, type LedgerServices } from './read-ledger.ts';
import {
  EntriesQuery,
  WalletEntryPage,
  TenantWalletTransaction,
  TenantTransactionPath,
} from './ledger-schemas.ts';

const tags = ['Wallet recording'];

/** The ledger of a tenant for console accounts. Games use the routes with a game key. */
export function tenantLedgerRoutes(services: LedgerServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/wallet-entries',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listWalletEntries',
          tags,
          summary: 'List entries of the wallet ledger',
          description:
            'Returns entries with all values that their hashes are computed from, and the head of the chain. Read all pages with ' +
            '`order=oldest` to verify the chain. Pass `nextCursor` as `cursor` to read the next page. A request with a filter ' +
            'searches at most 10,000 entries. So a page may have fewer items than `limit`, or none, and still have a next page.',
          params: TenantPath,
          querystring: EntriesQuery,
          response: { 200: WalletEntryPage, ...problems(503) },
        },
      },
      async (request) => listLedgerEntries(services.database, request.params.tenantId, request.query),
    );

    app.get(
      '/api/bus_tenants/:tenantId/wallet-transactions/:transactionHash',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenantWalletTransaction',
          tags,
          summary: 'Get a wallet transaction',
          description:
            'Returns the entries of a transaction, with all values that their hashes are computed from, and the names of their ' +
            'players. With an EVM chain, `chain` says whether the transaction is final.',
          params: TenantTransactionPath,
          response: { 200: TenantWalletTransaction },
        },
      },
      async ({ params }) => readTenantTransaction(services, params.tenantId, params.transactionHash),
    );
  };
}
