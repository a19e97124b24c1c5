import { billingGroup, type BillingContext } from '../../../core/billing-context.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { createContestedWrites } from '../../../database/contested-writes.ts';
import type { Database } from '../../../database/database.ts';
import { rotateTokens, type RefreshedSession, type Rotation, type RotationOutcome } from './queries.ts';

interface BilledRotation extends Rotation {
  billing: BillingContext;
}

export interface RefreshBatcher {
  /** Exchanges a refresh token for the next one. Returns undefined if it cannot be exchanged. */
  rotate(rotation: BilledRotation): Promise<RefreshedSession | undefined>;
  close(): Promise<void>;
}

/** How many tokens whose sessions are locked are exchanged at once. A process has at least four connections. */
const MAX_CONTESTED = 2;

/** Creates the batcher that refreshes the sessions of players. A token whose session is locked is exchanged alone. */
export function createRefreshBatcher(database: Database): RefreshBatcher {
  const batcher = createBatcher<BilledRotation, RotationOutcome>({
    groupOf: ({ billing }) => billingGroup(billing),
    async run(rotations) {
      const { billing } = rotations[0]!;
      const outcomes = await rotateTokens(database.forBatch(billing.tenantId), billing, rotations, 'skip');
      return outcomes.map((answer) => ({ answer }));
    },
  });
  // One session can have many used tokens, which wait for the same lock.
  const runContested = createContestedWrites({ atOnce: MAX_CONTESTED });
  return {
    async rotate(rotation) {
      const { billing } = rotation;
      let outcome: RotationOutcome | undefined = await batcher.submit(rotation);
      if (outcome === 'contested')
        [outcome] = await runContested(rotation.hash.toString('base64'), () =>
          rotateTokens(database.forBatch(billing.tenantId), billing, [rotation], 'wait'),
        );
      if (typeof outcome !== 'object') return undefined;
      billing.chargedTransactions++;
      return outcome;
    },
    close: () => batcher.close(),
  };
}
