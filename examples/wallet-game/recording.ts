import { createApiClient, GuildhallError, type Body } from '@guildhall/client';

/** The data with which a third party can verify a transaction without the server (examples/verify-ledger). */
export interface Proof {
  head: { index: number; hash: string };
  entries: { index: number }[];
  /** The links between the transaction and the head. */
  items: { index: number; contentHash: string }[];
}

const PAGE_SIZE = 1000;

/** Creates the recording calls of a game. */
export function createRecording(baseUrl: string, gameKey: string) {
  const api = createApiClient({ baseUrl, gameKey });
  /** Returns undefined on 404, and on 500, which some servers return for an unknown player. */
  const orUndefined = async (found: Promise<{ playerIndex: number }>): Promise<number | undefined> => {
    try {
      return (await found).playerIndex;
    } catch (error) {
      if (error instanceof GuildhallError && (error.status === 404 || error.status === 500)) return undefined;
      throw error;
    }
  };

  return {
    lookUpAddress: (address: string) =>
      orUndefined(
        api.GET('/api/BlockchainStorage/players/lookup/address/{address}', { params: { path: { address } } }),
      ),
    lookUpName: (playerId: string) =>
      orUndefined(
        api.GET('/api/BlockchainStorage/players/lookup/index/{playerId}', { params: { path: { playerId } } }),
      ),
    addPlayer: (playerId: string, playerAddress: string, signInPassword: string) =>
      api.POST('/api/BlockchainStorage/players/add/anon', {
        body: { playerId, playerAddress, signInPassword },
      }),
    /** Reads a transaction, the head of the ledger, and the links between the two. */
    async proveTransaction(transactionHash: string): Promise<Proof> {
      const { entries } = await api.GET('/api/BlockchainStorage/transactions/{transactionHash}', {
        params: { path: { transactionHash } },
      });
      const list = (query: { from?: number; limit: number }) =>
        api.GET('/api/BlockchainStorage/transactions', { params: { query } });
      const { head } = await list({ limit: 1 });
      const items: Proof['items'] = [];
      for (let from = entries[0]!.index; from <= head.index; from += PAGE_SIZE)
        items.push(...(await list({ from, limit: PAGE_SIZE })).items);
      return { head, entries, items: items.filter(({ index }) => index <= head.index) };
    },
    async signIn(jwt: string) {
      const login = await api.POST('/api/Auth/wallet/login/wallet-jwt', { body: { jwt } });
      return { ...login, ...asPlayer(baseUrl, login.accessToken) };
    },
  };
}

/** The calls of a signed-in player. */
function asPlayer(baseUrl: string, bearer: string) {
  const api = createApiClient({ baseUrl, bearer });
  return {
    startSession: (device: string, startTime: number) =>
      api.POST('/api/BlockchainStorage/sessions/login/start', { body: { device, startTime } }),
    startMatch: (level: string) =>
      api.POST('/api/BlockchainStorage/match/sessions/start/singleplayer', { body: { level } }),
    addRecord: (body: Body<'/api/BlockchainStorage/records/match/add', 'post'>) =>
      api.POST('/api/BlockchainStorage/records/match/add', { body }),
    endPart: (body: Body<'/api/BlockchainStorage/match/player/end', 'post'>) =>
      api.POST('/api/BlockchainStorage/match/player/end', { body }),
    endMatch: (matchSessionId: number) =>
      api.POST('/api/BlockchainStorage/match/sessions/singleplayer/end', { body: { matchSessionId } }),
    readPlayer: (playerIndex: number) =>
      api.GET('/api/BlockchainStorage/players/{playerIndex}', { params: { path: { playerIndex } } }),
    setScore: (newScore: bigint) =>
      api.POST('/api/BlockchainStorage/players/set/score', { body: { newScore } }),
    endSession: (sessionId: number) =>
      api.POST('/api/BlockchainStorage/sessions/login/end', { body: { sessionId } }),
  };
}

export type Recording = ReturnType<typeof createRecording>;
