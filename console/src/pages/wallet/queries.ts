import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, hasStatus, type Answer, type operations } from '../../app/client';
import { patience } from '../../app/query-client';
import { byNumericCursor } from '../../components/paging';

export type EntryPage = Answer<'/api/bus_tenants/{tenantId}/wallet-entries', 'get'>;
export type WalletEntry = EntryPage['items'][number];
export type EntryKind = NonNullable<
  NonNullable<operations['listWalletEntries']['parameters']['query']>['kind']
>;

interface EntryFilter {
  kind?: string | undefined;
  player?: string | undefined;
  transaction?: string | undefined;
}

const TRANSACTION = '/api/bus_tenants/{tenantId}/wallet-transactions/{transactionHash}';

interface EntryQuery {
  order?: 'newest' | 'oldest';
  kind?: EntryKind | undefined;
  playerIndex?: number | undefined;
  cursor?: number | undefined;
  limit: number;
}

/** Reads a page of the entries of the ledger. */
export const readEntries = (tenantId: string, query: EntryQuery, signal: AbortSignal): Promise<EntryPage> =>
  api.GET('/api/bus_tenants/{tenantId}/wallet-entries', { params: { path: { tenantId }, query }, signal });

const PAGE_SIZE = 100;

interface ListedPage {
  items: WalletEntry[];
  head?: EntryPage['head'];
  nextCursor?: number;
}

/** The entries of the ledger, newest first, or those of a transaction. */
export function walletEntriesQuery(tenantId: string, { kind, player, transaction }: EntryFilter) {
  const filter = {
    kind: kind as EntryKind | undefined,
    playerIndex: player === undefined ? undefined : Number(player),
    limit: PAGE_SIZE,
  };
  return infiniteQueryOptions({
    queryKey: ['wallet-entries', tenantId, { kind, player, transaction }],
    queryFn: async ({ pageParam, signal }): Promise<ListedPage> => {
      // A text that is no number is the number of nobody.
      if (player !== undefined && !PLAYER_NUMBER.test(player)) return { items: [] };
      if (transaction !== undefined) {
        const entries = await readTransaction(tenantId, transaction, signal);
        return { items: entries.filter((entry) => isOf(entry, filter)) };
      }
      let page = await readEntries(tenantId, { ...filter, cursor: pageParam }, signal);
      // A request searches a part of the ledger. Several may be needed to find one entry.
      while (page.items.length === 0 && page.nextCursor !== undefined)
        page = await readEntries(tenantId, { ...filter, cursor: page.nextCursor }, signal);
      return page;
    },
    ...byNumericCursor,
    ...patience,
  });
}

const PLAYER_NUMBER = /^[1-9]\d{0,14}$/;

const isOf = (entry: WalletEntry, { kind, playerIndex }: Pick<EntryQuery, 'kind' | 'playerIndex'>): boolean =>
  (kind ?? entry.kind) === entry.kind && (playerIndex ?? entry.playerIndex) === entry.playerIndex;

async function readTransaction(
  tenantId: string,
  transactionHash: string,
  signal: AbortSignal,
): Promise<WalletEntry[]> {
  try {
    const { entries } = await api.GET(TRANSACTION, {
      params: { path: { tenantId, transactionHash } },
      signal,
    });
    return entries;
  } catch (error) {
    if (hasStatus(error, 404)) return [];
    throw error;
  }
}

/** One entry, by its index. */
export const walletEntryQuery = (tenantId: string, index: number) =>
  queryOptions({
    queryKey: ['wallet-entry', tenantId, index],
    queryFn: async ({ signal }) => {
      // An address that somebody typed.
      if (!Number.isSafeInteger(index) || index < 1) return null;
      const query = { order: 'oldest', cursor: index - 1, limit: 1 } as const;
      const { items } = await readEntries(tenantId, query, signal);
      return items.find((entry) => entry.index === index) ?? null;
    },
    // An entry that was missing may have been recorded since.
    staleTime: ({ state }) => (state.data === null ? 0 : 15_000),
  });

/** The state of a transaction on an EVM chain. */
export const chainStateQuery = (tenantId: string, transactionHash: string) =>
  queryOptions({
    queryKey: ['wallet-transaction', tenantId, transactionHash],
    queryFn: () => api.GET(TRANSACTION, { params: { path: { tenantId, transactionHash } } }),
    select: ({ chain }) => chain,
  });
