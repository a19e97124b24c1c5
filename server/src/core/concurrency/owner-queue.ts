/** Creates a queue in which owners take turns. */
export function createOwnerQueue<Work>() {
  // The work of each owner. The owners are in the order of their turns.
  const waiting = new Map<string, Work[]>();
  // An iterator continues with owners that are added later. A new one for each work would pass all deleted owners again.
  const turns = waiting.entries();
  return {
    isEmpty: (): boolean => waiting.size === 0,
    add(owner: string, work: Work): void {
      const queue = waiting.get(owner);
      if (queue) queue.push(work);
      else waiting.set(owner, [work]);
    },
    /** Takes the first work of the first owner. If the owner has more, it moves behind the others. The queue must not be empty. */
    next(): Work {
      const [owner, queue] = turns.next().value!;
      const work = queue.shift()!;
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      return work;
    },
  };
}
