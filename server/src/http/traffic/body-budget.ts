import { shareOf } from '../../core/share.ts';
import { BATCH_BODY_LIMIT } from '../body-limits.ts';

const MIB = 1024 * 1024;

/** Larger bodies have a separate share, so that batches of events cannot block sign-ins. */
const SMALL_BODY = 64 * 1024;

/** The limits of a share: for all bodies together, and for the bodies of one caller. */
interface ShareLimits {
  total: number;
  perCaller: number;
}

/**
 * Separate shares for callers without a credential, and for small and large bodies with one. The raw bodies are outside
 * of the JavaScript heap. A parsed small body may take 15 times its size inside the heap.
 */
const SHARES: Record<'anonymous' | 'small' | 'large', ShareLimits> = {
  anonymous: { total: 8 * MIB, perCaller: MIB },
  small: { total: 32 * MIB, perCaller: 4 * MIB },
  large: { total: 48 * MIB, perCaller: 24 * MIB },
};

/** The sender of a body: a tenant or a network. */
export interface BodySender {
  name: string;
  isAnonymous: boolean;
}

/** The reservation of one body in the budget. */
export interface HeldBody {
  readonly bytes: number;
  /** Whether the budget has room for this many bytes. */
  fits(bytes: number): boolean;
  /** Changes the reservation to this many bytes. Returns false if there is no room, and then reserves nothing. */
  resize(bytes: number): boolean;
  release(): void;
}

export interface BodyBudget {
  /** Creates a reservation of 0 bytes. */
  hold(sender: BodySender): HeldBody;
}

/** The shares of one of several processes of a server. Each has room for one body of the largest size. */
export function sharesOfProcess(processes: number): typeof SHARES {
  const divide = ({ total, perCaller }: ShareLimits, least: number): ShareLimits => {
    const share = shareOf(total, processes, least);
    return { total: share, perCaller: Math.min(perCaller, share) };
  };
  return {
    anonymous: divide(SHARES.anonymous, MIB),
    small: divide(SHARES.small, MIB),
    large: divide(SHARES.large, BATCH_BODY_LIMIT),
  };
}

/**
 * Creates the budget for all bodies in flight. It counts bytes that have arrived, because announced bytes take no
 * memory.
 */
export function createBodyBudget(limits: typeof SHARES): BodyBudget {
  const anonymous = createShare(limits.anonymous);
  const small = createShare(limits.small);
  const large = createShare(limits.large);
  return {
    hold({ name, isAnonymous }) {
      const shareFor = (bytes: number) => {
        if (isAnonymous) return anonymous;
        return bytes > SMALL_BODY ? large : small;
      };
      let share = small;
      let held = 0;
      return {
        get bytes() {
          return held;
        },
        fits: (bytes) => shareFor(bytes).fits(name, bytes),
        resize(bytes) {
          this.release();
          share = shareFor(bytes);
          if (!share.fits(name, bytes)) return false;
          share.add(name, bytes);
          held = bytes;
          return true;
        },
        release() {
          share.add(name, -held);
          held = 0;
        },
      };
    },
  };
}

function createShare({ total: limit, perCaller }: ShareLimits) {
  const byCaller = new Map<string, number>();
  let total = 0;
  return {
    fits: (caller: string, bytes: number) =>
      total + bytes <= limit && (byCaller.get(caller) ?? 0) + bytes <= perCaller,
    add(caller: string, bytes: number): void {
      const own = (byCaller.get(caller) ?? 0) + bytes;
      total += bytes;
      if (own > 0) byCaller.set(caller, own);
      else byCaller.delete(caller);
    },
  };
}
