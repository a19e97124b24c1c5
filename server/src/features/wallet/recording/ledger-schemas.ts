import { Type } from 'typebox';
import { Guid, LargeInteger, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { entryKinds } from './ledger-entry.ts';
import { Index, TransactionHash } from './schemas.ts';

export const TransactionPath = Type.Object({ transactionHash: Type.String() });
export const TenantTransactionPath = Type.Object({ tenantId: Guid, transactionHash: Type.String() });

const Hash = Type.String({ description: '0x and 64 hexadecimal digits.' });

const Entry = Type.Object(
  {
    index: LargeInteger('The position in the tenant’s chain, from 1.'),
    recordedAt: Timestamp,
    kind: Type.Unsafe<string>(OneOf(entryKinds, { title: 'WalletEntryKind' })),
    playerIndex: LargeInteger('The player that the entry is about.'),
    body: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the entry records. The members depend on `kind`.',
    }),
    salt: Type.String(),
    canonical: Type.String({
      description: 'The canonical text of the entry. contentHash is its keccak-256.',
    }),
    contentHash: Hash,
    previousHash: Hash,
    hash: Type.String({
      description: 'The keccak-256 of the 64 bytes of previousHash and contentHash.',
    }),
  },
  { title: 'WalletLedgerEntry' },
);

/** The status of a transaction on the chain. */
const OnChain = Type.Object(
  {
    state: OneOf(['pending', 'mined', 'confirmed', 'abandoned'], { title: 'WalletChainState' }),
    blockNumber: Nullable(LargeInteger()),
    confirmations: Type.Integer({
      description: 'The number of blocks from the transaction’s own block to the newest one.',
    }),
  },
  { title: 'WalletChainStatus' },
);

export const WalletTransaction = Type.Object(
  {
    transactionHash: Type.String({
      description:
        '0x and 64 hexadecimal digits. If the transaction was signed again, the hash that the chain has accepted.',
    }),
    recorder: OneOf(['hash-chain', 'evm'], { title: 'WalletRecorder' }),
    entries: Type.Array(Entry),
    chain: Type.Optional(OnChain),
  },
  { title: 'WalletTransaction' },
);

const ListedEntry = Type.Object(
  {
    ...Entry.properties,
    transactionHash: Hash,
    playerId: Nullable(
      Type.String({
        description: 'The name of the player that the entry is about. The hashes do not cover it.',
      }),
    ),
  },
  { title: 'ListedWalletEntry' },
);

/** A transaction for members of the workspace, who may read the names of the players. */
export const TenantWalletTransaction = Type.Object(
  { ...WalletTransaction.properties, entries: Type.Array(ListedEntry) },
  { title: 'TenantWalletTransaction' },
);

export const LinksQuery = Type.Object({
  from: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
});

export const WalletChain = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { index: LargeInteger(), contentHash: Hash, hash: Hash, transactionHash: TransactionHash },
        { title: 'WalletChainLink' },
      ),
    ),
    head: Type.Object(
      { index: LargeInteger(), hash: Hash },
      { title: 'WalletChainHead', description: 'The last entry of the chain.' },
    ),
  },
  { title: 'WalletChain' },
);

const head = WalletChain.properties.head;

/** The largest page. The console verifies a chain in pages of this size. */
const MAX_ENTRIES = 1_000;

export const EntriesQuery = Type.Object({
  order: OneOf(['newest', 'oldest'], { title: 'WalletEntryOrder', default: 'newest' }),
  kind: Type.Optional(
    OneOf(entryKinds, { title: 'WalletEntryKind', description: 'Only entries of this kind.' }),
  ),
  playerIndex: Type.Optional(
    Type.Integer({ ...Index, description: 'Only entries about the player with this index.' }),
  ),
  cursor: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`nextCursor` of the previous page, or any index: the page begins after it.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, default: 50 }),
});

export const WalletEntryPage = Type.Object(
  {
    items: Type.Array(ListedEntry, { maxItems: MAX_ENTRIES }),
    head,
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(LargeInteger('The index that the next page begins after.')),
  },
  { title: 'WalletEntryPage' },
);
