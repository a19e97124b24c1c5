import { Type } from 'typebox';
import { EvmAddress, Int64, Int64Out, Key, Name } from '../../../http/schemas.ts';
import { MAX_PLAYER_ID } from './player-id.ts';

/** The index of a player, session, match, record or play data. The ledger assigns it, from 1 in each tenant. */
export const Index = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The same limit as for keys and values of gameplay events. */
const MAX_RECORD_LENGTH = 32;

const LARGEST_INT32 = 2 ** 31 - 1;

/** 9999-12-31T23:59:59Z in Unix seconds. */
const LAST_SECOND = 253_402_300_799;

export const TransactionHash = Type.String({
  description:
    '0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries.',
});

export const AddressPath = Type.Object({ address: Type.String() });
export const PlayerIdPath = Type.Object({ playerId: Type.String() });
export const PlayerPath = Type.Object({ playerIndex: Index });

export const WalletPlayerIndex = Type.Object({ playerIndex: Index }, { title: 'WalletPlayerIndex' });

export const CreateWalletPlayerRequest = Type.Object(
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

export const CreatedWalletPlayer = Type.Object(
  { transactionHash: TransactionHash, playerIndex: Index },
  { title: 'CreatedWalletPlayer' },
);

export const WalletJwtLoginRequest = Type.Object(
  {
    jwt: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'The JWT from the wallet’s issuer.',
    }),
  },
  { title: 'WalletJwtLoginRequest' },
);

export const WalletPasswordLoginRequest = Type.Object(
  {
    playerId: Type.String({ minLength: 1, maxLength: 128 }),
    signInPassword: Type.String({ minLength: 1, maxLength: 128 }),
  },
  { title: 'WalletPasswordLoginRequest' },
);

export const WalletLoginResult = Type.Object(
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

export const StartWalletSessionRequest = Type.Object(
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
export const StartedWalletSession = Type.Object(
  { transactionHash: TransactionHash, sessionId: Index },
  { title: 'StartedWalletSession' },
);

export const EndWalletSessionRequest = Type.Object(
  { sessionId: Index },
  { title: 'EndWalletSessionRequest' },
);
export const EndedWalletSession = Type.Object(
  { transactionHash: TransactionHash },
  { title: 'EndedWalletSession' },
);

export const StartWalletMatchRequest = Type.Object({ level: Name(64) }, { title: 'StartWalletMatchRequest' });
export const StartedWalletMatch = Type.Object(
  { transactionHash: TransactionHash, matchSessionId: Index },
  { title: 'StartedWalletMatch' },
);

export const CreateWalletRecordRequest = Type.Object(
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
export const CreatedWalletRecord = Type.Object(
  { transactionHash: TransactionHash, id: Index },
  { title: 'CreatedWalletRecord' },
);

export const EndWalletPartRequest = Type.Object(
  {
    matchSessionId: Index,
    score: Int64,
    winLoss: Type.Integer({ minimum: -LARGEST_INT32 - 1, maximum: LARGEST_INT32 }),
    matchPosition: Type.Integer({ minimum: 0, maximum: LARGEST_INT32 }),
  },
  { title: 'EndWalletPartRequest' },
);
export const EndedWalletPart = Type.Object(
  {
    transactionHash: TransactionHash,
    playDataId: Index,
    playerIndex: Index,
  },
  { title: 'EndedWalletPart' },
);

export const EndWalletMatchRequest = Type.Object(
  { matchSessionId: Index },
  { title: 'EndWalletMatchRequest' },
);
export const EndedWalletMatch = Type.Object(
  { transactionHash: TransactionHash, playDataId: Index },
  { title: 'EndedWalletMatch' },
);

export const SetWalletScoreRequest = Type.Object({ newScore: Int64 }, { title: 'SetWalletScoreRequest' });
export const WalletScore = Type.Object(
  {
    transactionHash: TransactionHash,
    playerIndex: Index,
    newScore: Int64Out,
  },
  { title: 'WalletScore' },
);
