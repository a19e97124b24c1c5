import { ApiError, type Send } from './api-client.ts';

interface Recorded {
  transactionHash: string;
}

/** The data with which a third party can verify a transaction without the server (examples/verify-ledger). */
export interface Proof {
  head: { index: number; hash: string };
  transaction: { entries: { index: number }[] };
  links: { index: number; contentHash: string }[];
}

const PAGE_SIZE = 1000;

export interface Player {
  playerId: string;
  address: string;
  playerType: number;
  score: number;
}

/** Creates the recording calls of a game. */
export function createRecording(send: Send, gameKey: string) {
  const withKey = { 'x-game-key': gameKey };
  const at = '/api/BlockchainStorage';
  /** Looks up a player. Returns undefined on 404, and on 500, which some servers return for an unknown player. */
  const lookUp = async (path: string): Promise<number | undefined> => {
    try {
      return (await send<{ playerIndex: number }>('GET', `${at}/players/lookup/${path}`, undefined, withKey))
        .playerIndex;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 500)) return undefined;
      throw error;
    }
  };

  return {
    lookUpAddress: (address: string) => lookUp(`address/${address}`),
    lookUpName: (playerId: string) => lookUp(`index/${encodeURIComponent(playerId)}`),
    addPlayer: (playerId: string, playerAddress: string, signInPassword: string) =>
      send<Recorded & { playerIndex: number }>(
        'POST',
        `${at}/players/add/anon`,
        { playerId, playerAddress, signInPassword },
        withKey,
      ),
    /** Reads a transaction, the head of the ledger, and the links between the two. */
    async proveTransaction(transactionHash: string): Promise<Proof> {
      const read = <Answer>(path: string) =>
        send<Answer>('GET', `${at}/transactions${path}`, undefined, withKey);
      const transaction = await read<Proof['transaction']>(`/${transactionHash}`);
      const { head } = await read<Pick<Proof, 'head'>>('?limit=1');
      const links: Proof['links'] = [];
      for (let from = transaction.entries[0]!.index; from <= head.index; from += PAGE_SIZE)
        links.push(...(await read<{ items: Proof['links'] }>(`?from=${from}&limit=${PAGE_SIZE}`)).items);
      return { head, transaction, links: links.filter(({ index }) => index <= head.index) };
    },
    async signIn(jwt: string) {
      const login = await send<{ accessToken: string; playerIndex: number; playerId: string }>(
        'POST',
        '/api/Auth/wallet/login/wallet-jwt',
        { jwt },
        withKey,
      );
      return { ...login, ...asPlayer(login.accessToken) };
    },
  };

  /** The calls of a signed-in player. */
  function asPlayer(token: string) {
    const bearer = { authorization: `Bearer ${token}` };
    const post = <Answer>(path: string, body: object) =>
      send<Answer & Recorded>('POST', `${at}/${path}`, body, bearer);
    return {
      startSession: (device: string, startTime: number) =>
        post<{ sessionId: number }>('sessions/login/start', { device, startTime }),
      startMatch: (level: string) =>
        post<{ matchSessionId: number }>('match/sessions/start/singleplayer', { level }),
      addRecord: (record: {
        matchSessionId: number;
        score: number;
        key: string;
        value: string;
        otherPlayers: number[];
      }) => post<{ id: number }>('records/match/add', record),
      endPart: (part: { matchSessionId: number; score: number; winLoss: number; matchPosition: number }) =>
        post<{ playDataId: number; playerIndex: number }>('match/player/end', part),
      endMatch: (matchSessionId: number) =>
        post<{ playDataId: number }>('match/sessions/singleplayer/end', { matchSessionId }),
      readPlayer: (playerIndex: number) =>
        send<Player>('GET', `${at}/players/${playerIndex}`, undefined, bearer),
      setScore: (newScore: number) => post<{ newScore: number }>('players/set/score', { newScore }),
      endSession: (sessionId: number) => post<object>('sessions/login/end', { sessionId }),
    };
  }
}

export type Recording = ReturnType<typeof createRecording>;
