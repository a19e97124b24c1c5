import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditHistory, kinds, type Fault, type History, type Kind } from './audit-history.ts';

const TENANTS = ['red', 'green', 'blue'];
const BATCHES = 20;
const PER_BATCH = 3;

/**
 * A history without a fault: each client sends one kind of operation to one tenant. Each seventh batch gets no answer. Each
 * fifth batch is repeated, after it was stored and answered.
 */
function cleanHistory(): History {
  const history: Required<History> = { sent: [], stored: [], billed: {} };
  for (const kind of kinds)
    for (const tenant of TENANTS)
      for (let batch = 0; batch < BATCHES; batch++)
        for (let index = 0; index < PER_BATCH; index++) {
          const entry = {
            kind,
            key: `${kind}-${tenant}-${batch}-${index}`,
            tenant,
            content: `${batch} and ${index}`,
          };
          const storedAt = batch * 1000;
          const isUnsure = batch % 7 === 6;
          const isRepeated = batch % 5 === 3 && !isUnsure;
          history.sent.push({
            ...entry,
            client: `${kind} of ${tenant}`,
            batch,
            acknowledgedAt: isUnsure ? undefined : storedAt + 5,
            units: 1,
            ...(isRepeated && { repeatedAt: [storedAt + 10], answers: ['the same', 'the same'] }),
          });
          // Half of the batches without an answer were stored.
          if (isUnsure && batch % 2 === 0) continue;
          history.stored.push({ ...entry, storedAt });
          history.billed[tenant] = (history.billed[tenant] ?? 0) + (isRepeated ? 2 : 1);
        }
  return history;
}

interface Mutation {
  name: string;
  /** The name that the auditor must give it. */
  fault: Fault;
  break(history: Required<History>, kind: Kind): void;
}

/** The row of an acknowledged operation in the middle of its batch. */
const rowOf = (history: History, kind: Kind, batch = 8) =>
  history.stored.findIndex(({ key }) => key === `${kind}-green-${batch}-1`);

/** The client's record of that row. */
const noteOf = (history: History, kind: Kind, batch = 8) =>
  history.sent.find(({ key }) => key === `${kind}-green-${batch}-1`)!;

const mutations: Mutation[] = [
  {
    name: 'drops a whole acknowledged batch',
    fault: 'lost',
    break: (history, kind) => void history.stored.splice(rowOf(history, kind) - 1, PER_BATCH),
  },
  {
    name: 'drops one of a batch without an answer',
    fault: 'partial batch',
    break: (history, kind) => void history.stored.splice(rowOf(history, kind, 13), 1),
  },
  {
    name: 'stores one twice',
    fault: 'doubled',
    break: (history, kind) => void history.stored.push({ ...history.stored[rowOf(history, kind)]! }),
  },
  {
    name: 'alters the content',
    fault: 'altered',
    break: (history, kind) => void (history.stored[rowOf(history, kind)]!.content += ' '),
  },
  {
    name: 'stores one with another tenant',
    fault: 'foreign tenant',
    break: (history, kind) => void (history.stored[rowOf(history, kind)]!.tenant = 'red'),
  },
  {
    name: 'stores one after its acknowledgement',
    fault: 'late',
    break: (history, kind) => void (history.stored[rowOf(history, kind)]!.storedAt += 6),
  },
  {
    name: 'stores one before an earlier one of its client',
    fault: 'reordered',
    break: (history, kind) => void (history.stored[rowOf(history, kind)]!.storedAt -= 1001),
  },
  {
    name: 'stores what nobody sent',
    fault: 'never sent',
    break: (history, kind) =>
      void history.stored.push({ ...history.stored[rowOf(history, kind)]!, key: 'of nobody' }),
  },
  {
    name: 'answers a repetition with something else',
    fault: 'answered differently',
    break: (history, kind) => void (noteOf(history, kind).answers![1] = 'another'),
  },
  {
    name: 'refuses one',
    fault: 'refused',
    break: (history, kind) => void (noteOf(history, kind).isRefused = true),
  },
  {
    name: 'charges nothing for a repetition',
    fault: 'wrong bill',
    break: (history, kind) => void noteOf(history, kind).repeatedAt!.push(1e6),
  },
];

const billing: Mutation[] = [
  {
    name: 'charges one twice',
    fault: 'wrong bill',
    break: (history) => void (history.billed['green']! += 1),
  },
  {
    name: 'charges another tenant',
    fault: 'wrong bill',
    break(history) {
      history.billed['green']! -= 1;
      history.billed['red']! += 1;
    },
  },
];

const faults = [
  ...kinds.flatMap((kind) => mutations.map((mutation) => ({ kind, ...mutation }))),
  ...billing.map((mutation) => ({ kind: 'event' as const, ...mutation })),
];

describe('the auditor of histories', () => {
  test('finds nothing in a history without a fault', () => {
    assert.deepEqual(auditHistory(cleanHistory()), []);
  });

  test(`finds each of ${faults.length} faults, by its name`, (t) => {
    const missed: string[] = [];
    for (const { kind, name, fault, break: apply } of faults) {
      const history = cleanHistory() as Required<History>;
      apply(history, kind);
      const findings = auditHistory(history);
      if (!findings.some((finding) => finding.fault === fault)) missed.push(`${kind}: ${name}`);
    }
    t.diagnostic(`mutation score: ${faults.length - missed.length} of ${faults.length}`);
    assert.equal(faults.length, 68);
    assert.deepEqual(missed, []);
  });
});
