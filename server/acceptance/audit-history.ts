/** The operations that clients record. Each creates one row. */
export const kinds = ['event', 'sign-in', 'refresh', 'match', 'wallet entry', 'webhook'] as const;
export type Kind = (typeof kinds)[number];

interface Entry {
  kind: Kind;
  /** The idempotency key, or the id that the answer returned. Unique over all tenants. */
  key: string;
  tenant: string;
  /** The values that must be stored unchanged, as one text. */
  content: string;
}

/** An operation, as the client wrote it down before it was sent. */
export interface Sent extends Entry {
  client: string;
  /** The client sends one batch after another. */
  batch: number;
  /** When the answer arrived, in milliseconds. Undefined: no answer arrived, so the client does not know. */
  acknowledgedAt: number | undefined;
  /** The units that it costs if it is stored. */
  units: number;
  /** When the client repeated it and was answered, in milliseconds. A repetition of a stored operation costs a unit. */
  repeatedAt?: number[];
  /** The result of its answers. A repetition is answered like the first request. */
  answers?: string[];
  /** The server refused it, although it was valid. */
  isRefused?: boolean;
}

/** A row of the database after the last crash. */
export interface Stored extends Entry {
  /** When it was stored, in milliseconds. */
  storedAt: number;
}

export interface History {
  sent: Sent[];
  stored: Stored[];
  /** The units of each tenant. Undefined: they are not audited. */
  billed?: Record<string, number>;
}

export type Fault =
  | 'lost'
  | 'doubled'
  | 'altered'
  | 'foreign tenant'
  | 'late'
  | 'reordered'
  | 'partial batch'
  | 'never sent'
  | 'answered differently'
  | 'refused'
  | 'wrong bill';

export interface Finding {
  fault: Fault;
  what: string;
}

/**
 * Compares what clients were told with what is stored. An acknowledged operation is stored once, unchanged, in its tenant, before
 * its acknowledgement and in the order of its client. One without an answer is stored once or not at all, and its batch with it.
 * None is refused, and a repeated one is answered as before. Each stored operation is billed once, and so is each repetition.
 */
export function auditHistory({ sent, stored, billed }: History): Finding[] {
  const findings: Finding[] = [];
  const found = (fault: Fault, { kind, key }: Entry) => findings.push({ fault, what: `${kind} ${key}` });
  const idOf = ({ kind, key }: Entry) => `${kind} ${key}`;
  const rows = Map.groupBy(stored, idOf);
  const known = new Set(sent.map(idOf));

  for (const operation of sent) {
    if (operation.isRefused) found('refused', operation);
    if (new Set(operation.answers).size > 1) found('answered differently', operation);
    const [row, ...others] = rows.get(idOf(operation)) ?? [];
    if (!row) {
      if (operation.acknowledgedAt !== undefined) found('lost', operation);
      continue;
    }
    if (others.length > 0) found('doubled', operation);
    if (row.tenant !== operation.tenant) found('foreign tenant', operation);
    if (row.content !== operation.content) found('altered', operation);
    if (operation.acknowledgedAt !== undefined && row.storedAt > operation.acknowledgedAt)
      found('late', operation);
  }
  for (const row of stored) if (!known.has(idOf(row))) found('never sent', row);

  for (const operations of Map.groupBy(sent, ({ client }) => client).values()) {
    const batches = [...Map.groupBy(operations, ({ batch }) => batch)].toSorted(([a], [b]) => a - b);
    let latest = -Infinity;
    for (const [, batch] of batches) {
      const times = batch.flatMap((operation) => rows.get(idOf(operation))?.[0]?.storedAt ?? []);
      if (times.length > 0 && times.length < batch.length) found('partial batch', batch[0]!);
      if (Math.min(...times) < latest) found('reordered', batch[0]!);
      // A batch without an answer may be sent again later.
      if (batch.every(({ acknowledgedAt }) => acknowledgedAt !== undefined))
        latest = Math.max(latest, ...times);
    }
  }

  if (billed) {
    const due: Record<string, number> = {};
    for (const operation of sent) {
      const [row] = rows.get(idOf(operation)) ?? [];
      if (!row) continue;
      const repetitions = operation.repeatedAt?.filter((at) => at > row.storedAt).length ?? 0;
      due[operation.tenant] = (due[operation.tenant] ?? 0) + operation.units + repetitions;
    }
    for (const tenant of new Set([...Object.keys(due), ...Object.keys(billed)]))
      if ((due[tenant] ?? 0) !== (billed[tenant] ?? 0))
        findings.push({
          fault: 'wrong bill',
          what: `${tenant}: ${billed[tenant] ?? 0} units, not ${due[tenant] ?? 0}`,
        });
  }
  return findings;
}
