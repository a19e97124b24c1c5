import { inChunks } from '../../../../core/in-chunks.ts';

/** Rows per query, so that memory does not grow with the export. 200 logins with metadata have at most 2 MiB. */
export const PAGE_SIZE = 200;

/** A long list in pieces. */
export type Chunks = AsyncGenerator<object[]>;

/**
 * Formats one JSON object in pieces: the members of `head`, then one array for each section. There is one piece for each chunk, because
 * an export waits for its turn and pauses after each piece.
 */
export async function* streamObject(head: object, sections: Record<string, Chunks>): AsyncGenerator<string> {
  // Cut the closing brace, because more members follow.
  let text = JSON.stringify(head).slice(0, -1);
  for (const [name, chunks] of Object.entries(sections)) {
    text += `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const chunk of chunks) {
      if (chunk.length > 0) {
        text += separator + chunk.map((row) => JSON.stringify(row)).join(',');
        separator = ',';
      }
      // An empty piece lets other exports read.
      yield text;
      text = '';
    }
    text += ']';
  }
  yield `${text}}`;
}

/** Reads all pages of the first owner's list, then those of the next owner. */
export async function* readAll<Owner, Row extends object>(
  owners: Iterable<Owner>,
  readPage: (owner: Owner, last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (const owner of owners) yield* inChunks(PAGE_SIZE, (last?: Row) => readPage(owner, last));
}
