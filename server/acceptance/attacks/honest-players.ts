import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { call } from '../http.ts';

/** Where honest players sign in. */
export interface HonestPlayers {
  url: string;
  gameKey: string;
  /** The pause of a player between two sign-ins. */
  pauseMs: number;
}

export interface HonestReport {
  perSecond: number;
  /** Responses other than 200, and other than 503 with Retry-After. */
  faults: string[];
}

const CONNECTIONS = 2;
const MAX_FAULTS = 5;

const { url, gameKey, pauseMs } = workerData as HonestPlayers;
const faults: string[] = [];
let isOver = false;
let served = 0;

async function signInRepeatedly(number: number): Promise<void> {
  while (!isOver && faults.length < MAX_FAULTS) {
    try {
      const { status, headers, body } = await call('POST', `${url}/api/player-auth/login`, {
        gameKey,
        body: { provider: 'Mock', token: `mock:honest${number}:secret` },
      });
      if (status === 200) served++;
      else if (status !== 503 || !headers.has('retry-after'))
        faults.push(`${status}: ${JSON.stringify(body)}`);
    } catch (error) {
      faults.push(String((error as Error).cause ?? error));
    }
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

const began = performance.now();
const players = Array.from({ length: CONNECTIONS }, (_, number) => signInRepeatedly(number));
parentPort!.once('message', () => {
  isOver = true;
  void Promise.all(players).then(() =>
    parentPort!.postMessage({
      perSecond: (served * 1000) / (performance.now() - began),
      faults,
    } satisfies HonestReport),
  );
});
