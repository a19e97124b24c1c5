import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRequests } from './requests.ts';
import { sendRequest } from './valid-request.ts';
import { arrangeStudio, startWorld, type Operation } from './world.ts';

// A reader of the API reference sends the example of an operation after replacing the values that refer to something: ids, tokens,
// codes, passwords. Each example must then be accepted.

const world = await startWorld();
const requests = await createRequests(world);

/** Members whose values exist only after another request, or belong to an account. */
const REFERENCES =
  /^(\w*Id|\w*Ids|\w*Token|token|jwt|code|password|currentPassword|signInPassword|email|audience|message|signature|response|callbackUrl|otherPlayers)$/;

/** The example, in which each reference is the one of a valid request. */
function withReferences(example: unknown, valid: unknown): unknown {
  if (Array.isArray(example))
    return example.map((item, index) => withReferences(item, (valid as unknown[] | undefined)?.[index]));
  if (typeof example !== 'object' || example === null) return example;
  const given = (valid ?? {}) as Record<string, unknown>;
  const own = Object.entries(example).filter(([name]) => !REFERENCES.test(name) || name in given);
  const references = Object.entries(given).filter(([name]) => REFERENCES.test(name));
  return Object.fromEntries([
    ...own.map(([name, value]) => [name, withReferences(value, given[name])]),
    ...references,
  ]);
}

/** The kind of a token, such as `gh_reset_`. */
const kindOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^gh_[a-z]+_/.exec(value)?.[0] : undefined;

const exampleOf = ({ requestBody }: Operation): Record<string, unknown> | undefined =>
  requestBody?.content['application/json']?.example;

describe('the example of each request body', () => {
  for (const operation of world.operations) {
    const example = exampleOf(operation);
    if (example)
      test(`${operation.operationId} accepts its example`, async () => {
        const studio = await arrangeStudio(world);
        const valid = await requests.make(operation, studio);
        const body = withReferences(example, valid.body);
        const answer = await sendRequest(world, operation, { ...valid, body });
        assert.ok(answer.status < 300, `${JSON.stringify(body)}: ${answer.text}`);
        for (const [name, value] of Object.entries(valid.body as object))
          if (name in example) assert.equal(kindOf(example[name]), kindOf(value), name);
      });
  }
});
