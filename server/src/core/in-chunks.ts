/**
 * Reads a long list in chunks of `size` rows, each after the last row of the previous chunk. It ends with a chunk that is shorter, and
 * may be empty.
 */
export async function* inChunks<Row>(
  size: number,
  read: (last?: Row) => Promise<Row[]>,
  last?: Row,
): AsyncGenerator<Row[]> {
  let rows: Row[];
  do {
    rows = await read(last);
    yield rows;
    last = rows.at(-1);
  } while (rows.length === size);
}
