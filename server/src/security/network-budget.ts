import { networkOf, siteOf } from '../core/network.ts';
import {
  attemptOf,
  spendAll,
  type AttemptBudget,
  type BudgetOptions,
  type CreateBudget,
  type ReservedAttempt,
} from './attempt-budget.ts';

/** The attempts of a network in a time window. `subject` is what else they are counted for, such as an email address. */
export interface NetworkBudget {
  /** Counts one attempt. Throws too_many_attempts if the network or its site has none left. */
  spend(address: string | null, subject?: string): Promise<void>;
  giveBack(address: string | null, subject?: string): Promise<void>;
  /** As {@link AttemptBudget.reserve}. */
  reserve(address: string | null, subject?: string): Promise<ReservedAttempt>;
}

/**
 * A site has the attempts of this many networks. It is more than one, because phones of a carrier may share a /48. An attacker with a /48
 * gets no more attempts than with 8 IPv4 addresses.
 */
export const NETWORKS_OF_SITE = 8;

/** Creates a budget of each network, and of each site with several networks. */
export function createNetworkBudget(createBudget: CreateBudget, options: BudgetOptions): NetworkBudget {
  const { name, attempts } = options;
  const ofNetwork = createBudget(options);
  const ofSite = createBudget({ ...options, name: `${name}:site`, attempts: attempts * NETWORKS_OF_SITE });
  // The network is first: what it refuses must not use up the attempts of its site.
  const budgets = (address: string | null, subject: string): [AttemptBudget, string][] => {
    const [network, site] = [networkOf(address), siteOf(address)];
    const all: [AttemptBudget, string][] = [[ofNetwork, `${network} ${subject}`]];
    if (site !== network) all.push([ofSite, `${site} ${subject}`]);
    return all;
  };
  return {
    spend: (address, subject = '') =>
      spendAll(budgets(address, subject).map(([budget, key]) => attemptOf(budget, key))),
    async giveBack(address, subject = '') {
      for (const [budget, key] of budgets(address, subject)) await budget.giveBack(key);
    },
    async reserve(address, subject = '') {
      return reserveAll(
        budgets(address, subject).map(
          ([budget, key]) =>
            () =>
              budget.reserve(key),
        ),
      );
    },
  };
}

/** Reserves one attempt of each budget, or of none if one refuses. */
export async function reserveAll(reservations: (() => Promise<ReservedAttempt>)[]): Promise<ReservedAttempt> {
  const reserved: ReservedAttempt[] = [];
  const all: ReservedAttempt = {
    async count() {
      for (const attempt of reserved) await attempt.count();
    },
    async giveBack() {
      for (const attempt of reserved) await attempt.giveBack();
    },
  };
  try {
    for (const reserve of reservations) reserved.push(await reserve());
  } catch (error) {
    await all.giveBack();
    throw error;
  }
  return all;
}
