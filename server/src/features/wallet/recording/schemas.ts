import { Type } from 'typebox';
import { Int64, Int64Out, Name, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';

/** The numbers that the ledger gives: of players, sessions, matches, records and play data, from 1 in each tenant. */
const Index = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const LARGEST_INT32 = 2 ** 31 - 1;

/** The last second that has four digits for its year. */
const LAST_SECOND = 253_402_300_799;

const Hash = Type.String({ description: '0x and 64 hexadecimal digits.' });
const TransactionHash = Type.String({
  description: '0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} shows what was recorded.',
});

export const AddressPath = Type.Object({ address: Type.String() });
export const NamePath = Type.Object({ playerId: Type.String() });
export const PlayerPath = Type.Object({ playerIndex: Index });
export const TransactionPath = Type.Object({ transactionHash: Type.String() });

export const PlayerIndex = Type.Object({ playerIndex: Index });

export const AddPlayerBody = Type.Object({
  playerId: Name(64, 'The name of the player, unique in the tenant. EmailContent case matters.'),
  playerAddress: Type.String({
    maxLength: 64,
    description: 'An EVM address; with its checksum where mixed case.',
  }),
  signInPassword: Type.String({ minLength: 8, maxLength: 128 }),
});

export const AddedPlayer = Type.Object({ transactionHash: TransactionHash, playerIndex: Index });

export const WalletJwtBody = Type.Object({
  jwt: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'The JWT that the wallet’s issuer gave.',
  }),
});

export const PasswordBody = Type.Object({
  playerId: Type.String({ minLength: 1, maxLength: 128 }),
  signInPassword: Type.String({ minLength: 1, maxLength: 128 }),
});

export const WalletLogin = Type.Object({
  accessToken: Type.String({ description: 'The platform JWT: the bearer of the recording calls.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'In seconds.' }),
  playerIndex: Index,
  playerId: Type.String(),
  address: Type.String(),
});

export const WalletPlayer = Type.Object({
  playerId: Type.String(),
  address: Type.String({ description: 'With the checksum of EIP-55.' }),
  playerType: Type.Integer({ description: '0: made by add/anon; 1: made by a wallet login.' }),
  score: Int64Out,
  identifiers: Type.Record(Type.String(), Type.String(), {
    description: 'By provider: `EvmWallet` has the address once a wallet login has shown it.',
  }),
  verifiedAddresses: Type.Array(Type.String(), {
    maxItems: 1,
    description: 'Those that a wallet login has shown.',
  }),
});

export const StartSessionBody = Type.Object({
  device: Name(128, 'What the game runs on. It stays in the ledger for good: write nothing personal.'),
  startTime: Type.Integer({ minimum: 0, maximum: LAST_SECOND, description: 'Unix seconds.' }),
});
export const StartedSession = Type.Object({ transactionHash: TransactionHash, sessionId: Index });

export const EndSessionBody = Type.Object({ sessionId: Index });
export const EndedSession = Type.Object({ transactionHash: TransactionHash });

export const StartMatchBody = Type.Object({ level: Name(64) });
export const StartedMatch = Type.Object({ transactionHash: TransactionHash, matchSessionId: Index });

export const AddRecordBody = Type.Object({
  matchSessionId: Index,
  score: Int64,
  key: Type.String({ maxLength: 256, description: '1 to 32 characters.' }),
  value: Type.String({ maxLength: 256, description: 'Up to 32 characters.' }),
  otherPlayers: Type.Array(Index, {
    maxItems: 100,
    uniqueItems: true,
    description: 'The indices of other players, for events from player to player.',
  }),
});
export const AddedRecord = Type.Object({ transactionHash: TransactionHash, id: Index });

export const EndPartBody = Type.Object({
  matchSessionId: Index,
  score: Int64,
  winLoss: Type.Integer({ minimum: -LARGEST_INT32 - 1, maximum: LARGEST_INT32 }),
  matchPosition: Type.Integer({ minimum: 0, maximum: LARGEST_INT32 }),
});
export const EndedPart = Type.Object({
  transactionHash: TransactionHash,
  playDataId: Index,
  playerIndex: Index,
});

export const EndMatchBody = Type.Object({ matchSessionId: Index });
export const EndedMatch = Type.Object({ transactionHash: TransactionHash, playDataId: Index });

export const SetScoreBody = Type.Object({ newScore: Int64 });
export const SetScore = Type.Object({
  transactionHash: TransactionHash,
  playerIndex: Index,
  newScore: Int64Out,
});

const Entry = Type.Object({
  index: Type.Integer({ description: 'Its place in the tenant’s chain, from 1.' }),
  recordedAt: Timestamp,
  kind: Type.String(),
  playerIndex: Type.Integer({ description: 'Whom it is about.' }),
  body: Type.Record(Type.String(), Type.Unknown()),
  salt: Type.String(),
  canonical: Type.String({ description: 'The text that contentHash is the keccak-256 of.' }),
  contentHash: Hash,
  previousHash: Hash,
  hash: Type.String({
    description: 'The keccak-256 of previousHash and contentHash, their 64 bytes one after the other.',
  }),
});

/** How far a transaction has come on the chain. */
const OnChain = Type.Object({
  state: OneOf(['pending', 'mined', 'confirmed', 'abandoned']),
  blockNumber: Nullable(Type.Integer()),
  confirmations: Type.Integer({ description: 'How many blocks, its own included, lie on it.' }),
});

export const Transaction = Type.Object({
  transactionHash: Type.String({
    description:
      '0x and 64 hexadecimal digits. Where it was signed more than once, the one that the chain took.',
  }),
  recorder: OneOf(['hash-chain', 'evm']),
  entries: Type.Array(Entry),
  chain: Type.Optional(OnChain),
});

export const ChainQuery = Type.Object({
  from: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
});

export const Chain = Type.Object({
  items: Type.Array(Type.Object({ index: Type.Integer(), contentHash: Hash, hash: Hash })),
  head: Type.Object({ index: Type.Integer(), hash: Hash }, { description: 'The last entry of the chain.' }),
});
