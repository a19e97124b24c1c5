import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../src/testing/http-client.ts';
import {
  identifyingTexts,
  missingLike,
  valuesOf,
  withoutVariables,
  withValue,
  type Position,
} from './request-values.ts';
import { createRequests } from './requests.ts';
import {
  alternativesOf,
  credentialHeaders,
  pickCredentials,
  sendRequest,
  type SchemeName,
  type ValidRequest,
} from './valid-request.ts';
import { openStudioRows, ownersOf } from './studio-rows.ts';
import { arrangeStudio, type Operation, type Studio, type World } from './world.ts';

/** Credentials that stand for one player. */
const OF_PLAYERS: SchemeName[] = ['player', 'walletPlayer', 'thirdParty', 'assertion'];

interface Pair {
  name: string;
  /** The studio that sends. */
  own: Studio;
  other: Studio;
  /** The credentials with which an operation is sent. Undefined if the other may be read with all of them. */
  alternative(operation: Operation): SchemeName[] | undefined;
  /** Whether the caller may name the other here. */
  mayName(operation: Operation, position: Position): boolean;
  /** Positions (or the whole request) that prove their own right, with the reason. */
  exceptions: Record<string, string>;
  /** The owners of the rows that must not change. */
  owners(request: ValidRequest): Promise<string[]>;
}

/** Without a credential, the body proves who the caller is: credentials.test.ts. */
const isOpen = (operation: Operation) => alternativesOf(operation)[0]!.length === 0;
const isOfTenant = ({ path }: Operation) => path.includes('{tenantId}');
const takesAccount = (operation: Operation) => alternativesOf(operation)[0]!.includes('account');
const subjectOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;

const INVITATION = 'the token was mailed to the invited person';
const FORBIDDEN = 'the players of a tenant know of each other, so the answer is a 403';
const SHARED = 'matches, wallet-linked players and the ledger belong to the tenant';
const MOCK = 'a username of Mock with its password is one person in the tenants of a workspace';

/** Creates the tenants and players that try each other's ids. */
async function arrangePairs(world: World): Promise<Pair[]> {
  const { app } = world;
  const stranger = await arrangeStudio(world);
  const alone = await arrangeStudio(world);
  const first = await arrangeStudio(world);
  const second = await arrangeStudio(world, first);
  return [
    {
      name: 'a tenant of another workspace',
      own: await arrangeStudio(world),
      other: stranger,
      alternative: (operation) => alternativesOf(operation)[0],
      mayName: () => false,
      exceptions: {
        'joinWorkspace.body.token': INVITATION,
        'joinWorkspace.whole': INVITATION,
        'logInPlayerByPassword.whole': 'an address with its password is a person, who may come to our game',
      },
      owners: () => ownersOf(app.owner, stranger, { workspace: true }),
    },
    {
      name: 'another tenant of the workspace',
      own: first,
      other: second,
      // A member of the workspace may read both tenants, and a person who signs in is the same in both.
      alternative: (operation) =>
        takesAccount(operation) && !isOfTenant(operation) ? undefined : alternativesOf(operation)[0],
      mayName: (operation, position) => takesAccount(operation) && position === 'path.tenantId',
      exceptions: {
        'logInPlayerByPassword.whole': 'an address with its password is a person, who may come to our game',
        'logInPlayer.body.token': MOCK,
        'logInPlayer.whole': MOCK,
        'getPlayerByProvider.body.providerUserId': MOCK,
        'getPlayerByProvider.whole': MOCK,
        'mergeProfile.whole': MOCK,
      },
      owners: () => ownersOf(app.owner, second, { workspace: false }),
    },
    {
      name: 'another player of the tenant',
      own: alone,
      other: alone,
      alternative: (operation) =>
        alternativesOf(operation).find((one) => one.some((scheme) => OF_PLAYERS.includes(scheme))),
      mayName: (_, position) => position === 'query.tenantId',
      exceptions: {
        'logOutPlayer.body.sessionId': FORBIDDEN,
        'leaveMatch.body.matchPlayerId': FORBIDDEN,
        'endMatch.path.matchSessionId': FORBIDDEN,
        'recordMatchResults.path.matchSessionId': FORBIDDEN,
        'recordMatchResults.body.results.matchPlayerId': FORBIDDEN,
        'endWalletSession.body.sessionId': FORBIDDEN,
        'createWalletRecord.body.matchSessionId': FORBIDDEN,
        'endWalletPart.body.matchSessionId': FORBIDDEN,
        'endWalletMatch.body.matchSessionId': FORBIDDEN,
        'joinMatch.path.matchSessionId': SHARED,
        'joinMatch.whole': SHARED,
        'getWalletPlayer.path.playerIndex': SHARED,
        'getWalletPlayer.whole': SHARED,
        'getMatch.path.matchSessionId': SHARED,
        'getMatch.whole': SHARED,
        'getWalletTransaction.path.transactionHash': SHARED,
        'getWalletTransaction.whole': SHARED,
      },
      owners: async ({ credentials: { player } }) => (player ? [subjectOf(player)] : []),
    },
  ];
}

const named = (position: Position) => position.replaceAll(/\.\d+/g, '');

/**
 * Sends every operation of the OpenAPI document with the ids of somebody else: of a tenant of another workspace, of another tenant
 * of the workspace, and of another player of the tenant. The answer must be the one for an id that does not exist. It contains
 * nothing of the other, and nothing of theirs changes. `pairs` limits the number of these others, in their order.
 */
export async function checkTenants(world: World, { pairs = 3 } = {}): Promise<void> {
  const { app, operations } = world;
  const requests = await createRequests(world);
  const readRows = await openStudioRows(app.owner);
  let sent = 0;
  let compared = 0;
  after(() =>
    console.log(`${sent} requests with ids of others, ${compared} of them compared with missing ids`),
  );

  for (const pair of (await arrangePairs(world)).slice(0, pairs)) {
    const { own } = pair;
    describe(`ids of ${pair.name}`, () => {
      for (const operation of operations) {
        const alternative = pair.alternative(operation);
        if (!alternative || isOpen(operation)) continue;
        test(`${operation.operationId} answers like for missing ids, and neither shows nor changes what is theirs`, async () => {
          const theirs = await requests.make(operation, pair.other);
          let ours = await requests.make(operation, own);
          const send = async (request: ValidRequest): Promise<Answer> => {
            sent++;
            const credentials = pickCredentials(ours, alternative);
            // A platform admin may see everything, so the owner of our workspace tries.
            if (credentials.account) credentials.account = own.owner.bearer;
            const headers = credentialHeaders(credentials);
            return sendRequest(world, operation, { ...request, credentials: ours.credentials }, headers);
          };
          const owners = await pair.owners(theirs);
          const before = await readRows(owners);
          const foreign = new Set(before.flatMap(identifyingTexts));
          const faults: string[] = [];
          const checkBytes = (answer: Answer, request: ValidRequest, what: string) => {
            const known = new Set(
              identifyingTexts(JSON.stringify([request, ours, alternative, own.tenant, own.owner])),
            );
            const shown = identifyingTexts(answer.text).filter(
              (text) => foreign.has(text) && !known.has(text),
            );
            if (shown.length > 0) faults.push(`${what} shows ${shown.join(', ')}`);
          };

          let comparedHere = 0;
          const ourValues = valuesOf(ours);
          for (const [position, value] of valuesOf(theirs)) {
            if (ourValues.get(position) === value || pair.mayName(operation, position)) continue;
            const key = `${operation.operationId}.${named(position)}`;
            if (key in pair.exceptions) continue;
            const foreignRequest = withValue(ours, position, value);
            const answer = await send(foreignRequest);
            checkBytes(answer, foreignRequest, position);
            const missing = missingLike(value);
            if (missing === undefined || /cursor/i.test(position)) continue;
            // An accepted request may have used up what it referred to.
            if (answer.status < 300) ours = await requests.make(operation, own);
            const expected = await send(withValue(ours, position, missing));
            compared++;
            comparedHere++;
            const [actualText, expectedText] = [answer, expected].map(
              ({ status, text }) => `${status} ${withoutVariables(text)}`,
            );
            if (actualText !== expectedText)
              faults.push(`${key} (${value}) is ${actualText}, a missing one ${expectedText}`);
          }
          const differs = ([name, value]: [string, string]) =>
            ours.path[name] !== value && !pair.mayName(operation, `path.${name}`);
          if (pair.other !== own && Object.entries(theirs.path).some(differs))
            assert.ok(comparedHere > 0, 'the ids in the path are compared with missing ids');
          // All ids of the other at once.
          let whole = theirs;
          for (const [position, value] of ourValues)
            if (pair.mayName(operation, position)) whole = withValue(whole, position, value);
          if (!(`${operation.operationId}.whole` in pair.exceptions))
            checkBytes(await send(whole), whole, 'the whole request');
          const now = await readRows(owners);
          const changed = [
            ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
            ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
          ];
          if (changed.length > 0) faults.push(`changes ${changed.join('\n')}`);
          assert.deepEqual(faults, []);
        });
      }
    });
  }
}
