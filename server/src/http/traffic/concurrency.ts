import type { FastifyRequest } from 'fastify';
import { ProblemError, type ProblemCode } from '../../core/problem.ts';
import type { AcquireSlots, Slot } from '../../processes/concurrency-slots.ts';
import { clientSite } from '../client-address.ts';

/** How many operations of one kind may run at once on this server. */
export interface ConcurrencyLimits {
  /** Per key, console account or player. */
  perCaller: number;
  perTenant: number;
  /**
   * One account can create many tenants and keys, and the reader of an export can be slow. So a network leaves room for others. For
   * IPv6, it is the /48.
   */
  perNetwork: number;
  /** For all callers together. */
  inAll: number;
}

/** Limits how many expensive operations of one kind run at once. */
interface ConcurrencyLimit {
  /** Counts an operation, of a tenant or of none, until the returned function is called. Rejects with the problem of the kind if too many run. */
  enter(request: FastifyRequest, tenantId: string | null): Promise<() => void>;
}

/** The operations of one kind. */
interface ConcurrentKind {
  /** Differs from the names of all other kinds. */
  name: string;
  /** The problem of a refusal. */
  code: ProblemCode;
  /** The name of one operation, in the singular. */
  noun: string;
}

/** Creates the limit of one kind of operations. */
export function createConcurrencyLimit(
  acquireSlots: AcquireSlots,
  { name, code, noun }: ConcurrentKind,
  { perCaller, perTenant, perNetwork, inAll }: ConcurrencyLimits,
): ConcurrencyLimit {
  return {
    async enter(request, tenantId) {
      const network = clientSite(request);
      const server = { owner: name, limit: inAll };
      const slots: (Slot & { whose: string })[] = [
        { whose: 'caller', owner: `${name} ${callerOf(request)}`, limit: perCaller },
        ...(tenantId === null
          ? []
          : [{ whose: 'tenant', owner: `${name} tenant ${tenantId}`, limit: perTenant }]),
        { whose: 'network', owner: `${name} network ${network}`, limit: perNetwork, fallsWith: server },
        { whose: 'server', ...server },
      ];
      const acquired = await acquireSlots(slots);
      if (typeof acquired === 'function') return acquired;
      const { whose, limit, fallsWith } = slots[acquired]!;
      const fewer = fallsWith ? ', or fewer while others run many' : '';
      throw new ProblemError(code, {
        detail: `At most ${limit} ${limit === 1 ? noun : `${noun}s`} of this ${whose} may run at once${fewer}. Wait until one ends.`,
        retryAfter: 5,
      });
    },
  };
}

function callerOf({ keyCaller, accountCaller, playerCaller }: FastifyRequest): string {
  return keyCaller?.keyId ?? accountCaller?.accountId ?? playerCaller?.playerId ?? 'nobody';
}
