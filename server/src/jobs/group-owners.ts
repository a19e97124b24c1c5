import type { OwnersOf } from './queue.ts';

/** Knows the owners of the groups of fetched jobs. A group whose owner cannot be found is its own owner. */
interface GroupOwners {
  /** Finds the owners of groups whose jobs were fetched. If it throws, the groups that were unknown are their own owners. */
  resolve(fetched: string[]): Promise<void>;
  ownerOf(group: string): string;
  /** All groups of owners. */
  groupsOf(owners: string[]): string[];
}

/** Caches all groups of each owner with jobs. `isActive` says whether an owner has jobs that were fetched and have not ended. */
export function createGroupOwners(findOwners: OwnersOf, isActive: (owner: string) => boolean): GroupOwners {
  let known = new Map<string, string>();
  return {
    async resolve(fetched) {
      const unknown = [...new Set(fetched)].filter((group) => !known.has(group));
      if (unknown.length === 0) return;
      // Jobs of these owners are about to start.
      const starting = new Set(fetched.map((group) => known.get(group)));
      known = new Map([...known].filter(([, owner]) => isActive(owner) || starting.has(owner)));
      for (const { group, owner } of await findOwners(unknown)) known.set(group, owner);
    },
    ownerOf: (group) => known.get(group) ?? group,
    groupsOf: (owners) => [...known].filter(([, owner]) => owners.includes(owner)).map(([group]) => group),
  };
}
