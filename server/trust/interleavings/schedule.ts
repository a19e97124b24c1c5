import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';

/** Returns a whole number below `limit`. */
export type Random = (limit: number) => number;

/** Creates a random generator from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Chooses the request that continues. */
type Choose = (requests: number[]) => number;

const anyOf =
  (random: Random): Choose =>
  (requests) =>
    requests[random(requests.length)]!;

/** A merge has about 45 queries. */
const CHANGES = 3;
const LAST_CHANGE = 50;

/**
 * Lets the request with the highest priority continue. A few times, at random, that request gets the lowest priority. So a short
 * request may run in the middle of a long one, which hardly happens if each query is chosen by itself.
 */
function byPriority(random: Random, count: number): Choose {
  const priorities = Array.from({ length: count }, () => random(1_000));
  const changes = new Set(Array.from({ length: CHANGES }, () => random(LAST_CHANGE)));
  let step = 0;
  return (requests) => {
    const highest = () =>
      requests.reduce((one, other) => (priorities[other]! > priorities[one]! ? other : one));
    if (changes.has(step++)) priorities[highest()] = -step;
    return highest();
  };
}

/** A query of a request. Its connection sends it when it is chosen, after the earlier queries of the connection. */
interface Query {
  request: number;
  client: pg.Client;
  text: string;
  state: 'held' | 'running' | 'blocked';
  send(): void;
}

/** A schedule that takes longer is stuck. A query that waits for a lock for 10 seconds ends with query_timeout. */
const LIMIT_MS = 30_000;
/** A query that runs longer may wait for a lock. */
const RUNNING_MS = 2;
/** Turns of the event loop without an event, after which each request waits for the database. */
const QUIET_TURNS = 3;
/** The same if a request has no query: it shares the query of another one, or it still works. */
const SILENT_TURNS = 12;

const current = new AsyncLocalStorage<{ schedule: Schedule; request: number }>();

/**
 * Runs requests at the same time. Each query waits until the random generator chooses its request, and only one query runs at a
 * time. If a query waits for a lock, another one is chosen. The start of a request is chosen like a query.
 */
export class Schedule {
  /** The chosen queries and starts, in their order. */
  readonly trace: string[] = [];
  /** How often a query was seen waiting for a lock. */
  lockWaits = 0;
  readonly #random: Random;
  /** All queries that have not ended, in the order of their arrival. */
  readonly #queries: Query[] = [];
  #events = 0;
  #wake: () => void = () => {};
  #isOver = false;
  /** Signatures that are verified on another thread. */
  #verifying = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Runs the requests, and returns their answers when all of their queries have ended. `monitor` reads the locks. */
  async run<Answer>(monitor: pg.Client, requests: (() => Promise<Answer>)[]): Promise<Answer[]> {
    const end = Date.now() + LIMIT_MS;
    const waiting = requests.map((_, request) => request);
    const unanswered = new Set<number>();
    const answers: Promise<Answer>[] = [];
    const choose = this.#random(2) === 0 ? anyOf(this.#random) : byPriority(this.#random, requests.length);
    const start = (request: number): void => {
      unanswered.add(request);
      answers[request] = current.run({ schedule: this, request }, requests[request]!).finally(() => {
        unanswered.delete(request);
        this.#signal();
      });
      // The rejection is reported by the last line of this function.
      answers[request].catch(() => {});
    };
    for (;;) {
      await this.#settle(monitor, unanswered);
      // Two queries that ran at the same time end in any order, so the order of arrival would not be repeatable.
      const held = this.#queries
        .filter((query) => query.state === 'held' && this.#isNext(query))
        .toSorted((one, other) => one.request - other.request);
      if (held.length === 0 && waiting.length === 0 && unanswered.size === 0 && this.#queries.length === 0)
        break;
      if (Date.now() > end) throw new Error(`The schedule is stuck:\n${this.trace.join('\n')}`);
      if (held.length === 0 && waiting.length === 0) {
        // A deadlock, which PostgreSQL ends, or work outside of the database.
        await this.#activity(RUNNING_MS);
        continue;
      }
      const request = choose([...waiting, ...held.map((query) => query.request)]);
      const query = held.find((one) => one.request === request);
      if (query) {
        this.trace.push(`request ${request}: ${query.text.trim().replaceAll(/\s+/g, ' ').slice(0, 100)}`);
        this.#send(query);
      } else {
        waiting.splice(waiting.indexOf(request), 1);
        this.trace.push(`request ${request} starts`);
        start(request);
      }
    }
    this.#isOver = true;
    return Promise.all(answers);
  }

  /** Holds a query until it is chosen. The beginning of a transaction does nothing before its first statement, so it is sent at once. */
  hold<Result>(
    client: pg.Client,
    request: number,
    text: string,
    send: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isOver) return send();
    return new Promise<Result>((resolve, reject) => {
      const query: Query = {
        request,
        client,
        text,
        state: 'held',
        send: () => {
          const ended = (settle: () => void) => {
            this.#queries.splice(this.#queries.indexOf(query), 1);
            // Queries that waited for a lock of this query may run now.
            for (const other of this.#queries) if (other.state === 'blocked') other.state = 'running';
            settle();
            const next = this.#queries.find((other) => other.client === client);
            if (next?.state === 'held' && isBegin(next.text)) this.#send(next);
            this.#signal();
          };
          send().then(
            (result) => ended(() => resolve(result)),
            (error) => ended(() => reject(error)),
          );
        },
      };
      this.#queries.push(query);
      if (isBegin(text) && this.#isNext(query)) this.#send(query);
      this.#signal();
    });
  }

  /** Waits for work on another thread, before something is chosen. */
  async awaitWork<Result>(work: Promise<Result>): Promise<Result> {
    this.#verifying++;
    try {
      return await work;
    } finally {
      this.#verifying--;
      this.#signal();
    }
  }

  #send(query: Query): void {
    query.state = 'running';
    query.send();
  }

  /** Whether no earlier query of the connection is left. */
  #isNext(query: Query): boolean {
    return this.#queries.find(({ client }) => client === query.client) === query;
  }

  #signal(): void {
    this.#events++;
    this.#wake();
  }

  /** Resolves with true at the next event, or with false after some time. */
  #activity(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timeout = setTimeout(() => resolve(false), ms);
    this.#wake = () => {
      clearTimeout(timeout);
      resolve(true);
    };
    return promise;
  }

  /** Waits until the application has nothing to do: each query is held or blocked, and each request has a query. */
  async #settle(monitor: pg.Client, unanswered: Set<number>): Promise<void> {
    for (;;) {
      await this.#quiet(unanswered);
      const running = this.#queries.filter(({ state }) => state === 'running');
      if (running.length === 0) return;
      if (await this.#activity(RUNNING_MS)) continue;
      const before = this.#events;
      const { rows } = await monitor.query<{ pid: number }>({
        name: 'blocked',
        text: 'SELECT pid FROM unnest($1::int[]) pid WHERE cardinality(pg_blocking_pids(pid)) > 0',
        values: [running.map(({ client }) => processOf(client))],
      });
      const blocked = new Set(rows.map(({ pid }) => pid));
      if (before === this.#events)
        for (const query of running.filter(({ client }) => blocked.has(processOf(client)))) {
          query.state = 'blocked';
          this.lockWaits++;
        }
    }
  }

  /** Waits until the event loop has nothing to do. */
  async #quiet(unanswered: Set<number>): Promise<void> {
    const hasQuery = (request: number) => this.#queries.some((query) => query.request === request);
    for (let turns = 0; turns < ([...unanswered].every(hasQuery) ? QUIET_TURNS : SILENT_TURNS);) {
      const before = this.#events;
      await nextTurn();
      turns = before === this.#events && this.#verifying === 0 ? turns + 1 : 0;
    }
  }
}

const isBegin = (text: string) => text.startsWith('BEGIN');
const processOf = (client: pg.Client) => (client as unknown as { processID: number }).processID;

let rewrite: (text: string) => string = (text) => text;

/** Changes the statements of the application from now on, to remove a guard. Without a function it changes none. */
export function rewriteStatements(change: (text: string) => string = (text) => text): void {
  rewrite = change;
}

/** Makes each query of the application wait for its turn, if it belongs to a request of a schedule. */
export function holdQueries(): void {
  const { query } = pg.Client.prototype;
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of query
  pg.Client.prototype.query = function (this: pg.Client, config: any, ...rest: any[]): any {
    const { application_name: name } = (this as unknown as { connectionParameters: pg.ClientConfig })
      .connectionParameters;
    const isStream = typeof config?.submit === 'function';
    if (isStream || !name?.startsWith('guildhall guildhall_'))
      return Reflect.apply(query, this, [config, ...rest]);
    const given: string = config.text ?? config;
    const text = rewrite(given);
    // The name of a prepared statement stands for its own text.
    const sent = text === given ? config : { text, values: config.values };
    const turn = current.getStore();
    if (!turn) return Reflect.apply(query, this, [sent, ...rest]);
    const callback = typeof rest.at(-1) === 'function' ? rest.pop() : undefined;
    const result = turn.schedule.hold(this, turn.request, text, () =>
      Reflect.apply(query, this, [sent, ...rest]),
    );
    if (!callback) return result;
    callbackify(() => result)(callback);
  };
}

/** Schedules wait for signatures of tokens, which are verified on another thread. */
export function awaitSignatures(): void {
  const { verify } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.verify = function (...parameters: Parameters<typeof verify>) {
    const work = Reflect.apply(verify, this, parameters);
    return current.getStore()?.schedule.awaitWork(work) ?? work;
  };
}
