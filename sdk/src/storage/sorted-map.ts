/** A map that lists its entries in the order of their keys. The keys are sorted again only after one was added or deleted. */
export class SortedMap extends Map<string, string> {
  #sorted: string[] | undefined;

  override set(key: string, value: string): this {
    if (!this.has(key)) this.#sorted = undefined;
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#sorted = undefined;
    return super.delete(key);
  }

  /** The first entries whose keys begin with the prefix and come after the key `after`. */
  list(prefix: string, limit: number, after = ''): [key: string, value: string][] {
    const keys = (this.#sorted ??= [...this.keys()].toSorted());
    let start = 0;
    for (let end = keys.length; start < end;) {
      const middle = (start + end) >> 1;
      if (keys[middle]! >= prefix && keys[middle]! > after) end = middle;
      else start = middle + 1;
    }
    return keys
      .slice(start, start + limit)
      .filter((key) => key.startsWith(prefix))
      .map((key) => [key, this.get(key)!]);
  }
}
