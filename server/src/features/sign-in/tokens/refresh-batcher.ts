import { billingGroup, type BillingContext } from '../../../core/billing-context.ts';
import { createBatcher } from '../../../database/batcher.ts';
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
  return {
    async rotate(rotation) {
      const { billing } = rotation;
      let outcome: RotationOutcome | undefined = await batcher.submit(rotation);
      if (outcome === 'contested')
        [outcome] = await rotateTokens(database.forBatch(billing.tenantId), billing, [rotation], 'wait');
      if (typeof outcome !== 'object') return undefined;
      billing.chargedTransactions++;
      return outcome;
    },
    close: () => batcher.close(),
  };
}
