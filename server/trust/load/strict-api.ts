import { Agent, request } from 'undici';
import { headersOf, type Answer, type Sender } from '../../src/simulation/api.ts';

/** The events that the server said are stored. */
export interface Acknowledged {
  count: number;
  /** The sum of the random parts of their ids. It differs if any id differs. */
  idSum: bigint;
}

/** Sends each request once, and notes each answer that is not a success. */
export interface StrictApi extends Sender {
  /** The answers that were no success, and requests without an answer: at most {@link MAX_FAULTS}. */
  faults: string[];
  acknowledged: Acknowledged;
  close(): Promise<void>;
}

const MAX_FAULTS = 20;
const CONNECTIONS = 128;

/** The last 12 of the 32 digits of an id are random. */
const RANDOM_DIGITS = 12;

/** Opens connections for requests with a game key. */
export function openStrictApi(baseUrl: string, gameKey: string): StrictApi {
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const faults: string[] = [];
  const acknowledged: Acknowledged = { count: 0, idSum: 0n };
  const fault = (what: string): void => void (faults.length < MAX_FAULTS && faults.push(what));

  const send: Sender['send'] = async (method, path, body, bearer): Promise<Answer> => {
    try {
      const answer = await request(baseUrl + path, {
        method,
        dispatcher,
        headers: headersOf(gameKey, bearer, body !== undefined),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const parsed = text === '' ? undefined : JSON.parse(text);
      // A batch of events that are all wrong, or all stored before, is refused as documented.
      if (answer.statusCode >= 300 && parsed?.code !== 'events_rejected')
        fault(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
      for (const { eventRecordId } of (parsed?.records ?? []) as { eventRecordId: string }[]) {
        acknowledged.count++;
        acknowledged.idSum += BigInt(`0x${eventRecordId.slice(-RANDOM_DIGITS)}`);
      }
      return { status: answer.statusCode, body: parsed };
    } catch (error) {
      fault(`${method} ${path}: ${String(error)}`);
      return { status: 0, body: undefined };
    }
  };

  return {
    faults,
    acknowledged,
    send,
    close: () => dispatcher.close(),
  };
}
