import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Answer } from '../src/testing/http-client.ts';
import { faultOf } from './fuzz/answers.ts';
import { isForbidden } from './fuzz/invalid-requests.ts';
import { listedFaults } from './fuzz/listed-faults.ts';
import { COUNT, IS_SHORT, ONLY, SEED, TIMEOUT_MS } from './fuzz/options.ts';
import { openSources, type Source } from './fuzz/requests.ts';
import { BODIES, CONTENT_HEADERS, HEADERS } from './fuzz/other-requests.ts';
import { faultsOf } from './fuzz/random-faults.ts';
import { itemNamesOf, operationsOfTheme, runSequence, sequencesOf, THEMES } from './fuzz/sequences.ts';
import { variationsOf, vary } from './fuzz/valid-requests.ts';
import {
  describeExchange,
  openConnections,
  wireRequestOf,
  type Fault,
  type WireRequest,
} from './fuzz/wire-request.ts';
import { alternativesOf, type ValidRequest } from './valid-request.ts';
import { arrangeStudio, startWorld, type Operation } from './world.ts';

// Requests from the schemas of the OpenAPI document: valid ones are not called malformed, invalid ones are refused, and each answer
// has a declared status, content type and body. `npm run test:fuzz -- --fuzz=10000 --seed=2` sends more, from another seed.

const world = await startWorld();
const send = openConnections(world);
const sourceOf = await openSources(world);
const operations = world.operations.filter(({ operationId }) => ONLY === '' || operationId === ONLY);
/** Requests for these delete what the other ones use. */
const [ofPlatform, ofTenants] = [true, false].map((isOfPlatform) =>
  operations.filter(({ path }) => /^\/api\/admin\/(webhooks|signing-keys)/.test(path) === isOfPlatform),
) as [Operation[], Operation[]];
/** How many operations are tested at the same time. Each of them sends one request at a time. */
const IN_FLIGHT = 8;

const counts = { valid: 0, accepted: 0, invalid: 0, stillValid: 0, other: 0 };
const reached = new Set<string>();
const ofSequences = { steps: 0, accepted: 0, reached: new Set<string>() };
const startedAt = performance.now();
after(() => {
  const sent = counts.valid + counts.invalid + counts.stillValid + counts.other + ofSequences.steps;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `fuzz: seed ${SEED}, ${counts.valid} valid requests (${counts.accepted} accepted), ${counts.invalid} invalid ones, ` +
      `${counts.stillValid} that stayed valid, ${counts.other} with other headers, ` +
      `${ofSequences.steps} in sequences (${ofSequences.accepted} accepted, ${ofSequences.reached.size} operations). ` +
      `${reached.size} of ${operations.length} operations reached a 2xx. ${Math.round(sent / seconds)} requests/s`,
  );
});

const REPEAT = (operation: string) =>
  `npm run test:fuzz -- --fuzz=${COUNT} --seed=${SEED} --only=${operation}`;

/** Fails with the request and its answer. */
function check(
  isRight: boolean,
  what: string,
  operation: Operation,
  request: WireRequest,
  answer: Answer,
): void {
  if (!isRight)
    assert.fail(
      `${what}\n${describeExchange(operation, request, answer)}\nRepeat it: ${REPEAT(operation.operationId)}`,
    );
}

/** Sends a request. Its answer must be a declared one, and no 5xx. */
async function exchange(operation: Operation, request: WireRequest): Promise<Answer> {
  const answer = await send(operation, request);
  const fault = faultOf(operation, answer);
  check(fault === undefined, fault ?? '', operation, request, answer);
  return answer;
}

/** Adds a test for each operation. */
function eachOperation(title: string, work: (operation: Operation, source: Source) => Promise<void>): void {
  const add = (ofGroup: Operation[]) => {
    for (const operation of ofGroup)
      test(`${operation.operationId} ${title}`, { timeout: TIMEOUT_MS }, async () => {
        const source = sourceOf(operation);
        await work(operation, source).finally(() => source.close());
      });
  };
  describe('of tenants', { concurrency: IN_FLIGHT }, () => add(ofTenants));
  describe('of the platform', { concurrency: 1 }, () => add(ofPlatform));
}

/** For so long, a smaller request is searched that fails too. */
const SHRINKING_MS = 20_000;

/** Checks so many random values. */
async function holds<Value>(
  values: fc.Arbitrary<Value>,
  numRuns: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  let failedAt = Infinity;
  const property = fc.asyncProperty(values, async (value) => {
    if (performance.now() - failedAt > SHRINKING_MS) throw new fc.PreconditionFailure(true);
    await work(value).catch((error: unknown) => {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    });
  });
  await fc.assert(property, { seed: SEED, numRuns });
}

const isAccepted = ({ status }: Answer) => status < 300;
const MALFORMED = [400, 413, 415];

describe('valid requests', { concurrency: 2 }, () => {
  after(() =>
    assert.deepEqual(
      operations.map(({ operationId }) => operationId).filter((id) => !reached.has(id)),
      [],
      'every operation reaches a 2xx',
    ),
  );
  eachOperation('does not call a valid request malformed', async (operation, source) => {
    const deliver = async (request: WireRequest) => {
      const answer = await exchange(operation, request);
      counts.valid++;
      if (isAccepted(answer)) {
        counts.accepted++;
        reached.add(operation.operationId);
      }
      return answer;
    };
    let base = await source.make();
    const plain = wireRequestOf(base, alternativesOf(operation)[0]!);
    const first = await deliver(plain);
    check(isAccepted(first), 'the plain request was not accepted', operation, plain, first);
    // A request that uses something up is made anew each time.
    const isRepeatable = isAccepted(await deliver(plain));
    await holds(
      variationsOf(operation, base),
      IS_SHORT ? 1 : COUNT,
      async ({ credentials, ...variation }) => {
        const varied = () => wireRequestOf(vary(base, variation), credentials);
        if (isRepeatable && isAccepted(await deliver(varied()))) return;
        base = await source.make(isRepeatable);
        const request = varied();
        const answer = await deliver(request);
        check(!MALFORMED.includes(answer.status), 'called malformed', operation, request, answer);
      },
    );
  });
});

/** Codes of answers to requests whose credentials were revoked, or used too often. */
const USED_UP =
  /^(missing_|invalid_(game_key|api_key|bearer)|session_ended|player_inactive|rate_limited|too_many_|quota_)/;

describe('invalid requests', { concurrency: 2 }, () => {
  eachOperation('refuses an invalid request', async (operation, source) => {
    let base: ValidRequest | undefined;
    const [credentials] = alternativesOf(operation) as [never];
    const deliver = async (change: Fault) => {
      base ??= await source.make();
      const request = change(wireRequestOf(base, credentials));
      if (isTooLong(request) || endsAllSessions(request)) return;
      const answer = await exchange(operation, request);
      const mustFail = isForbidden(operation, request);
      counts[mustFail ? 'invalid' : 'stillValid']++;
      check(!mustFail || !isAccepted(answer), 'accepted', operation, request, answer);
      // It may have used up what the base refers to.
      if (isAccepted(answer) || USED_UP.test(answer.body?.code)) base = undefined;
    };
    const sample = await source.make();
    base = sample;
    const listed = listedFaults(operation, sample);
    for (const fault of IS_SHORT ? some(listed, COUNT / 2, operation) : listed) await deliver(fault);
    await holds(faultsOf(operation, sample), IS_SHORT ? COUNT / 2 : COUNT, deliver);
  });
});

/** Path and headers may have 16 KiB together. */
const isTooLong = ({ path, query }: WireRequest) =>
  [...Object.values(path), ...query.flat()].join('').length > 10_000;

/** Only signing keys have this member. */
const endsAllSessions = ({ body }: WireRequest) =>
  typeof body === 'string' && /"revokeOld":\s*true/.test(body);

/** Some items of a list, other ones for each operation. */
function some<Item>(list: Item[], number: number, operation: Operation): Item[] {
  const first = (SEED + world.operations.indexOf(operation)) * number;
  return list.filter((_, index) => (index + first) % list.length < number);
}

describe('other content types, encodings, bodies and headers', { concurrency: 2 }, () => {
  eachOperation('has a declared answer to each', async (operation, source) => {
    const { method, requestBody, operationId } = operation;
    const plain = wireRequestOf(await source.make(), alternativesOf(operation)[0]!);
    const deliver = async (change: Partial<WireRequest>, mayAccept: boolean) => {
      const request = { ...plain, ...change, headers: { ...plain.headers, ...change.headers } };
      const answer = await exchange(operation, request);
      counts.other++;
      check(mayAccept || !isAccepted(answer), 'accepted', operation, request, answer);
    };
    const few = <Item>(list: Item[]) => (IS_SHORT ? some(list, COUNT / 4, operation) : list);
    if (method !== 'GET') {
      const body = typeof plain.body === 'string' ? plain.body : '{}';
      for (const headers of few(CONTENT_HEADERS)) await deliver({ body, headers }, true);
      // Without a declared body, none is read.
      for (const body of few(BODIES))
        await deliver({ body, headers: { 'content-type': 'application/json' } }, !requestBody);
    }
    if (operationId !== 'streamNotifications')
      for (const headers of few(HEADERS)) await deliver({ headers, body: undefined }, true);
  });
});

describe('sequences of requests', { concurrency: IN_FLIGHT }, async () => {
  const itemNames = itemNamesOf(world.operations);
  for (const [theme, tags] of Object.entries(THEMES)) {
    if (!theme.includes(ONLY)) continue;
    test(
      `${theme}: have declared answers, and harm no other studio`,
      { timeout: TIMEOUT_MS * 10 },
      async () => {
        const bystander = await arrangeStudio(world);
        const sequences = sequencesOf(operationsOfTheme(world.operations, tags));
        await fc.assert(
          fc.asyncProperty(sequences, (steps) =>
            runSequence(world, send, steps, { bystander, itemNames, counts: ofSequences }),
          ),
          { seed: SEED, numRuns: IS_SHORT ? 1 : COUNT },
        );
      },
    );
  }
});
