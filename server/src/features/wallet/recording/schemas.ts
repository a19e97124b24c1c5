import { Type } from 'typebox';
import {
  EvmAddress,
  Guid,
  Int64,
  Int64Out,
  Key,
  Name,
  Nullable,
  OneOf,
  Timestamp,
} from '../../../http/schemas.ts';
import { entryKinds } from './ledger-entry.ts';
import { MAX_PLAYER_ID } from './player-id.ts';

/** The index of a player, session, match, record or play data. The ledger assigns it, from 1 in each tenant. */
const Index = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The same limit as for keys and values of gameplay events. */
const MAX_RECORD_LENGTH = 32;

const LARGEST_INT32 = 2 ** 31 - 1;

/** 9999-12-31T23:59:59Z in Unix seconds. */
const LAST_SECOND = 253_402_300_799;

const Hash = Type.String({ description: '0x and 64 hexadecimal digits.' });
const TransactionHash = Type.String({
  description:
    '0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries.',
});

export const AddressPath = Type.Object({ address: Type.String() });
export const PlayerIdPath = Type.Object({ playerId: Type.String() });
export const PlayerPath = Type.Object({ playerIndex: Index });
export const TransactionPath = Type.Object({ transactionHash: Type.String() });

export const PlayerIndex = Type.Object({ playerIndex: Index }, { title: 'WalletPlayerIndex' });

export const AddPlayerBody = Type.Object(
  {
    playerId: Name(
      MAX_PLAYER_ID,
      'The name of the player, unique in the tenant and case-sensitive. It has no invisible character, and white space only as ' +
        'single spaces. It is not "." or "..".',
    ),
    playerAddress: EvmAddress,
    signInPassword: Type.String({ minLength: 8, maxLength: 128 }),
  },
  { title: 'CreateWalletPlayerRequest' },
);

export const AddedPlayer = Type.Object(
  { transactionHash: TransactionHash, playerIndex: Index },
  { title: 'CreatedWalletPlayer' },
);

export const WalletJwtBody = Type.Object(
  {
    jwt: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'The JWT from the wallet’s issuer.',
    }),
  },
  { title: 'WalletJwtLoginRequest' },
);

export const PasswordBody = Type.Object(
  {
    playerId: Type.String({ minLength: 1, maxLength: 128 }),
    signInPassword: Type.String({ minLength: 1, maxLength: 128 }),
  },
  { title: 'WalletPasswordLoginRequest' },
);

export const WalletLogin = Type.Object(
  {
    accessToken: Type.String({
      description: 'The platform JWT. Send it as the bearer token of the recording calls.',
    }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'The lifetime of the token in seconds.' }),
    playerIndex: Index,
    playerId: Type.String(),
    address: Type.String(),
  },
  { title: 'WalletLoginResult' },
);

export const WalletPlayer = Type.Object(
  {
    playerId: Type.String(),
    address: Type.String({ description: 'With its EIP-55 checksum.' }),
    playerType: Type.Integer({ description: '0: added by add/anon. 1: added by a wallet login.' }),
    score: Int64Out,
    identifiers: Type.Record(Type.String(), Type.String(), {
      description: 'By provider. `EvmWallet` contains the address after a wallet login has proved it.',
    }),
    verifiedAddresses: Type.Array(Type.String(), {
      maxItems: 1,
      description: 'The addresses that a wallet login has proved.',
    }),
  },
  { title: 'WalletPlayer' },
);

export const StartSessionBody = Type.Object(
  {
    device: Name(
      128,
      'The device that the game runs on. It stays in the ledger permanently, so it must contain no personal data.',
    ),
    startTime: Type.Integer({
      minimum: 0,
      maximum: LAST_SECOND,
      description: 'When the session started, in seconds since 1970-01-01T00:00:00Z.',
    }),
  },
  { title: 'StartWalletSessionRequest' },
);
export const StartedSession = Type.Object(
  { transactionHash: TransactionHash, sessionId: Index },
  { title: 'StartedWalletSession' },
);

export const EndSessionBody = Type.Object({ sessionId: Index }, { title: 'EndWalletSessionRequest' });
export const EndedSession = Type.Object(
  { transactionHash: TransactionHash },
  { title: 'EndedWalletSession' },
);

export const StartMatchBody = Type.Object({ level: Name(64) }, { title: 'StartWalletMatchRequest' });
export const StartedMatch = Type.Object(
  { transactionHash: TransactionHash, matchSessionId: Index },
  { title: 'StartedWalletMatch' },
);

export const AddRecordBody = Type.Object(
  {
    matchSessionId: Index,
    score: Int64,
    key: Key(MAX_RECORD_LENGTH, { minLength: 1, description: 'Normalised like the keys of events.' }),
    value: Key(MAX_RECORD_LENGTH, { description: 'Normalised like the values of events.' }),
    otherPlayers: Type.Array(Index, {
      maxItems: 100,
      uniqueItems: true,
      description: 'The indices of other players that the record is about.',
    }),
  },
  { title: 'CreateWalletRecordRequest' },
);
export const AddedRecord = Type.Object(
  { transactionHash: TransactionHash, id: Index },
  { title: 'CreatedWalletRecord' },
);

export const EndPartBody = Type.Object(
  {
    matchSessionId: Index,
    score: Int64,
    winLoss: Type.Integer({ minimum: -LARGEST_INT32 - 1, maximum: LARGEST_INT32 }),
    matchPosition: Type.Integer({ minimum: 0, maximum: LARGEST_INT32 }),
  },
  { title: 'EndWalletPartRequest' },
);
export const EndedPart = Type.Object(
  {
    transactionHash: TransactionHash,
    playDataId: Index,
    playerIndex: Index,
  },
  { title: 'EndedWalletPart' },
);

export const EndMatchBody = Type.Object({ matchSessionId: Index }, { title: 'EndWalletMatchRequest' });
export const EndedMatch = Type.Object(
  { transactionHash: TransactionHash, playDataId: Index },
  { title: 'EndedWalletMatch' },
);

export const SetScoreBody = Type.Object({ newScore: Int64 }, { title: 'SetWalletScoreRequest' });
export const SetScore = Type.Object(
  {
    transactionHash: TransactionHash,
    playerIndex: Index,
    newScore: Int64Out,
  },
  { title: 'WalletScore' },
);

const Entry = Type.Object(
  {
    index: Type.Integer({ description: 'The position in the tenant’s chain, from 1.' }),
    recordedAt: Timestamp,
    kind: Type.Unsafe<string>(OneOf(entryKinds, { title: 'WalletEntryKind' })),
    playerIndex: Type.Integer({ description: 'The player that the entry is about.' }),
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
    blockNumber: Nullable(Type.Integer()),
    confirmations: Type.Integer({
      description: 'The number of blocks from the transaction’s own block to the newest one.',
    }),
  },
  { title: 'WalletChainStatus' },
);

export const Transaction = Type.Object(
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
export const TenantTransaction = Type.Object(
  { ...Transaction.properties, entries: Type.Array(ListedEntry) },
  { title: 'TenantWalletTransaction' },
);

export const ChainQuery = Type.Object({
  from: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
});

export const Chain = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { index: Type.Integer(), contentHash: Hash, hash: Hash, transactionHash: TransactionHash },
        { title: 'WalletChainLink' },
      ),
    ),
    head: Type.Object(
      { index: Type.Integer(), hash: Hash },
      { title: 'WalletChainHead', description: 'The last entry of the chain.' },
    ),
  },
  { title: 'WalletChain' },
);

const head = Chain.properties.head;

export const TenantTransactionPath = Type.Object({ tenantId: Guid, transactionHash: Type.String() });

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

export const EntryPage = Type.Object(
  {
    items: Type.Array(ListedEntry, { maxItems: MAX_ENTRIES }),
    head,
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.Integer({ description: 'The index that the next page begins after.' })),
  },
  { title: 'WalletEntryPage' },
);
