import { COUNT_WITHIN_MS, type Channel } from './channel.ts';

/** A place that is taken while something runs: its holder, and how many places that holder has. */
export type Place = [holder: string, most: number];

/** Counts what runs at once. */
export interface Occupancy {
  /** Takes one place of each holder. If a holder has none left, takes none and returns its index. */
  enter(places: Place[]): number | undefined;
  /** Gives the places back. */
  leave(places: Place[]): void;
}

/** Counts in the memory of this process. */
export function createOccupancy(): Occupancy {
  const taken = new Map<string, number>();
  return {
    enter(places) {
      const full = places.findIndex(([holder, most]) => (taken.get(holder) ?? 0) >= most);
      if (full >= 0) return full;
      for (const [holder] of places) taken.set(holder, (taken.get(holder) ?? 0) + 1);
      return undefined;
    },
    leave(places) {
      for (const [holder] of places) {
        const left = (taken.get(holder) ?? 0) - 1;
        if (left > 0) taken.set(holder, left);
        else taken.delete(holder);
      }
    },
  };
}

/** What the primary process answers to a process that takes places. */
export interface ProcessPlaces {
  enter(question: { ticket: number; places: Place[] }): number | null;
  leave(ticket: number): void;
  /** Gives all places back, because the process has ended. */
  leaveAll(): void;
}

/** Counts the places of one process in an occupancy that several processes share. */
export function createProcessPlaces(shared: Occupancy): ProcessPlaces {
  const taken = new Map<number, Place[]>();
  const leave = (ticket: number): void => {
    shared.leave(taken.get(ticket) ?? []);
    taken.delete(ticket);
  };
  return {
    enter({ ticket, places }) {
      const full = shared.enter(places);
      if (full === undefined) taken.set(ticket, places);
      return full ?? null;
    },
    leave,
    leaveAll: () => [...taken.keys()].forEach(leave),
  };
}

/** Takes places that all processes of this server share. Returns the index of a holder that has none left, or what gives them back. */
export type TakePlaces = (places: Place[]) => Promise<number | (() => void)>;

/** Takes places in the primary process. Without one, and while it does not answer, takes them in the memory of this process. */
export function createTakePlaces(primary?: Channel): TakePlaces {
  const own = createOccupancy();
  const takeOwn = (places: Place[]) => own.enter(places) ?? (() => own.leave(places));
  if (!primary) return async (places) => takeOwn(places);
  let tickets = 0;
  return async (places) => {
    const ticket = ++tickets;
    const leave = () => void primary.ask('leave', ticket).catch(() => {});
    try {
      return (await primary.ask<number | null>('enter', { ticket, places }, COUNT_WITHIN_MS)) ?? leave;
    } catch {
      // If the primary process answers late, it has taken places that nobody uses.
      leave();
      return takeOwn(places);
    }
  };
}
