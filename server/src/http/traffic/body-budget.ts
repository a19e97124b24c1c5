import { createCounts } from '../../core/counts.ts';
import { fallingLimit, shareOf } from '../../core/share.ts';
import { BATCH_BODY_LIMIT } from '../bodies/body-limits.ts';

const MIB = 1024 * 1024;

/** Larger bodies have a separate share, so that batches of events cannot block sign-ins. */
const SMALL_BODY = 64 * 1024;

/** The limits of a share: for all bodies together, for those of one caller, and for those of one network. */
interface ShareLimits {
  total: number;
  perCaller: number;
  /**
   * Falls with the bytes that remain free. Game keys are public, so one network can send slow bodies for many tenants: those of nine
   * filled the share of small bodies.
   */
  perNetwork: number;
}

/**
 * Separate shares for callers without a credential, and for small and large bodies with one. The raw bodies are outside
 * of the JavaScript heap. A parsed small body may take 15 times its size inside the heap.
 */
const SHARES: Record<'anonymous' | 'small' | 'large', ShareLimits> = {
  anonymous: { total: 8 * MIB, perCaller: MIB, perNetwork: MIB },
  small: { total: 32 * MIB, perCaller: 4 * MIB, perNetwork: 8 * MIB },
  large: { total: 48 * MIB, perCaller: 24 * MIB, perNetwork: 24 * MIB },
};

/** The sender of a body. */
export interface BodySender {
  /** The tenant of the key, or the network. */
  caller: string;
  network: string;
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

/**
 * The shares of one of several processes of a server. Each has room for two bodies of the largest size, because a caller or a network may
 * use half of a share: otherwise one body of 16 MiB that arrives in two minutes would stop all other batches.
 */
export function sharesOfProcess(processes: number): typeof SHARES {
  const divide = ({ total, perCaller, perNetwork }: ShareLimits, least: number): ShareLimits => {
    const share = shareOf(total, processes, least);
    return {
      total: share,
      perCaller: Math.min(perCaller, share / 2),
      perNetwork: Math.min(perNetwork, share / 2),
    };
  };
  return {
    anonymous: divide(SHARES.anonymous, MIB),
    small: divide(SHARES.small, MIB),
    large: divide(SHARES.large, 2 * BATCH_BODY_LIMIT),
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
    hold(sender) {
      const shareFor = (bytes: number) => {
        if (sender.isAnonymous) return anonymous;
        return bytes > SMALL_BODY ? large : small;
      };
      let share = small;
      let held = 0;
      return {
        get bytes() {
          return held;
        },
        fits: (bytes) => shareFor(bytes).fits(sender, bytes),
        resize(bytes) {
          this.release();
          share = shareFor(bytes);
          if (!share.fits(sender, bytes)) return false;
          share.add(sender, bytes);
          held = bytes;
          return true;
        },
        release() {
          share.add(sender, -held);
          held = 0;
        },
      };
    },
  };
}

function createShare({ total: limit, perCaller, perNetwork }: ShareLimits) {
  const ofCallers = createCounts();
  const ofNetworks = createCounts();
  let total = 0;
  return {
    fits({ caller, network }: BodySender, bytes: number): boolean {
      // A body can be as large as the free bytes, so those count that it leaves free.
      const free = limit - total - bytes;
      return (
        free >= 0 &&
        ofCallers.of(caller) + bytes <= perCaller &&
        ofNetworks.of(network) + bytes <= fallingLimit(perNetwork, { free, total: limit })
      );
    },
    add({ caller, network }: BodySender, bytes: number): void {
      total += bytes;
      ofCallers.add(caller, bytes);
      ofNetworks.add(network, bytes);
    },
  };
}
