import { createHash } from 'node:crypto';

/** A sequence of decisions that is the same for the same seed, in every run. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number;
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Creates a sequence from the SHA-256 digests of the seed and a counter. */
export function createRandom(seed: string): Random {
  let drawn = 0;
  const fraction = (): number =>
    createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32BE() / 2 ** 32;
  const integer = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)]!,
  };
}
