const MIB = 1024 * 1024;

/** Longer bodies have a share of their own: batches of events cannot keep sign-ins out. */
const SMALL_BODY = 64 * 1024;

/** How many bytes all bodies of a kind may have, and those of one caller. */
interface ShareLimits {
  total: number;
  perCaller: number;
}

/**
 * Bodies of callers without a credential, short ones and long ones with one. The bodies themselves are outside of the heap; parsed
 * short ones may take 15 times as much inside of it.
 */
const SHARES: Record<'anonymous' | 'small' | 'large', ShareLimits> = {
  anonymous: { total: 8 * MIB, perCaller: MIB },
  small: { total: 32 * MIB, perCaller: 4 * MIB },
  large: { total: 48 * MIB, perCaller: 24 * MIB },
};

/** Whose body it is: a tenant or a network. */
export interface BodySender {
  name: string;
  isAnonymous: boolean;
}

/** The body of a request that is in progress, as the budget sees it. */
export interface HeldBody {
  readonly bytes: number;
  /** Whether so many bytes would find room now. */
  fits(bytes: number): boolean;
  /** Counts the body with so many bytes from now on. False if there is no room: then it counts no more. */
  resize(bytes: number): boolean;
  release(): void;
}

export interface BodyBudget {
  /** Starts to count a body, with no bytes yet. */
  hold(sender: BodySender): HeldBody;
}

/** One budget for the bytes of all bodies in flight. It counts what has arrived: an announced byte takes no memory. */
export function openBodyBudget(limits = SHARES): BodyBudget {
  const anonymous = openShare(limits.anonymous);
  const small = openShare(limits.small);
  const large = openShare(limits.large);
  return {
    hold({ name, isAnonymous }) {
      const shareOf = (bytes: number) => {
        if (isAnonymous) return anonymous;
        return bytes > SMALL_BODY ? large : small;
      };
      let share = small;
      let held = 0;
      return {
        get bytes() {
          return held;
        },
        fits: (bytes) => shareOf(bytes).fits(name, bytes),
        resize(bytes) {
          this.release();
          share = shareOf(bytes);
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

function openShare({ total: limit, perCaller }: ShareLimits) {
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
