import assert from 'node:assert/strict';
import { accountRules, requestByRule, type Rule } from '../src/testing/account-operations.ts';
import { accountQueries } from './account-queries.ts';
import { playerRequests } from './player-requests.ts';
import type { ValidRequest } from './valid-request.ts';
import { METRICS_TOKEN, type Operation, type Studio, type World } from './world.ts';

/** Makes valid requests of all operations. */
export interface Requests {
  /** The operations that can be made. */
  names: string[];
  make(operation: Operation, studio: Studio): Promise<ValidRequest>;
}

/** Creates the valid requests of all operations in a world. */
export async function createRequests(world: World): Promise<Requests> {
  const { app, platformAdmin } = world;
  const players = await playerRequests(world);
  const queries = accountQueries(world, players);
  // The rules prepare what they need as the owner of the studio whose turn it is.
  const rulesOf = new WeakMap<Studio, Record<string, Rule>>();
  const ruleOf = ({ operationId }: Operation, studio: Studio): Rule | undefined => {
    if (!rulesOf.has(studio)) rulesOf.set(studio, accountRules(app, { owner: studio.owner, platformAdmin }));
    return rulesOf.get(studio)![operationId];
  };
  const makeByRule = async (operation: Operation, studio: Studio): Promise<Partial<ValidRequest>> => {
    const rule = ruleOf(operation, studio);
    assert.ok(rule, `${operation.operationId} has no valid request: add it to trust/player-requests.ts`);
    // A workspace has at most 50.
    await app.owner.query('DELETE FROM webhooks WHERE workspace_id = $1', [studio.tenant.workspaceId]);
    const { tenant, owner } = studio;
    const made = await requestByRule(operation, rule, { tenant, email: owner.email });
    const query = {
      ...Object.fromEntries(new URLSearchParams(made.query)),
      ...(await queries[operation.operationId]?.(studio)),
    };
    const account = rule.needs === 'platformAdmin' ? platformAdmin.bearer! : owner.bearer;
    return { ...made, query, credentials: { account } };
  };
  const sample = accountRules(app, { owner: platformAdmin, platformAdmin });
  return {
    names: [...Object.keys(players.requests), ...Object.keys(sample)],
    async make(operation, studio) {
      const make = players.requests[operation.operationId];
      const made = make ? await make(studio) : await makeByRule(operation, studio);
      return {
        path: {},
        query: {},
        headers: {},
        body: undefined,
        ...made,
        credentials: {
          gameKey: studio.tenant.gameKey,
          apiKey: studio.tenant.apiKey,
          metricsToken: METRICS_TOKEN,
          ...made.credentials,
        },
      };
    },
  };
}
