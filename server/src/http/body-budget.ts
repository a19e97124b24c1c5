const MIB = 1024 * 1024;

/** Bodies of up to so many bytes have a share of the budget of their own: batches of events cannot keep sign-ins out. */
const SMALL_BODY = 64 * 1024;

/** In bytes. The bodies themselves are outside of the heap; parsed small ones may take 20 times as much inside of it. */
const SHARES = { small: 16 * MIB, large: 48 * MIB };

/** The body of a request that is in progress, as the budget sees it. */
export interface HeldBody {
  readonly bytes: number;
  /** Counts the body with so many bytes from now on. False if there is no room: then it counts no more. */
  resize(bytes: number): boolean;
  release(): void;
}

export interface BodyBudget {
  /** Starts to count a body, with no bytes yet. */
  hold(caller: string): HeldBody;
}

/** One budget for the bodies of all requests in progress, of which one caller gets half of each share at most. */
export function openBodyBudget(limits = SHARES): BodyBudget {
  const small = openShare(limits.small);
  const large = openShare(limits.large);
  return {
    hold(caller) {
      let share = small;
      let held = 0;
      return {
        get bytes() {
          return held;
        },
        resize(bytes) {
          this.release();
          share = bytes > SMALL_BODY ? large : small;
          if (!share.take(caller, bytes)) return false;
          held = bytes;
          return true;
        },
        release() {
          share.giveBack(caller, held);
          held = 0;
        },
      };
    },
  };
}

function openShare(limit: number) {
  const byCaller = new Map<string, number>();
  let total = 0;
  return {
    take(caller: string, bytes: number): boolean {
      const own = (byCaller.get(caller) ?? 0) + bytes;
      if (total + bytes > limit || own > limit / 2) return false;
      total += bytes;
      byCaller.set(caller, own);
      return true;
    },
    giveBack(caller: string, bytes: number): void {
      const own = (byCaller.get(caller) ?? 0) - bytes;
      total -= bytes;
      if (own > 0) byCaller.set(caller, own);
      else byCaller.delete(caller);
    },
  };
}
