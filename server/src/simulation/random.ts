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

/** A digest has 32 bytes, and a number takes 4 of them. */
const DRAWS_PER_DIGEST = 8;

/** Creates a sequence from the SHA-256 digests of the seed and a counter. */
export function createRandom(seed: string): Random {
  let drawn = 0;
  let digest = Buffer.alloc(0);
  const fraction = (): number => {
    const place = drawn++ % DRAWS_PER_DIGEST;
    if (place === 0) digest = createHash('sha256').update(`${seed} ${drawn}`).digest();
    return digest.readUInt32BE(4 * place) / 2 ** 32;
  };
  const integer = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)]!,
  };
}
