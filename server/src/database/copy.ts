import { once } from 'node:events';
import type pg from 'pg';
import { inOnePacket, streamOf } from './packets.ts';

/**
 * Runs a query text that begins with `COPY … FROM STDIN`, and sends the chunks as its data. Unlike pg-copy-streams, it does not wait until
 * PostgreSQL asks for them: if they are one chunk, they share a packet with the text, which saves a round trip and three system calls. If
 * a statement of the text fails, PostgreSQL discards the rest of the data. After any other error the connection must be closed.
 */
export async function runCopy(
  client: pg.ClientBase,
  text: string,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const stream = streamOf(client);
  const copy = client.query(new CopyQuery(text, () => inOnePacket(client)));
  // A query waits for the end of the one before it.
  await Promise.race([copy.submission, copy.completion]);
  for await (const chunk of chunks) {
    if (copy.hasFailed) break;
    stream.write(headOf('d', chunk.length));
    if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), copy.completion]);
  }
  if (!copy.hasFailed) stream.write(headOf('c', 0));
  await copy.completion;
}

/** The head of a message of PostgreSQL's protocol: its type, and its length with the four bytes of the length. */
function headOf(type: 'c' | 'd', bytes: number): Buffer {
  const head = Buffer.allocUnsafe(5);
  head.write(type, 'latin1');
  head.writeInt32BE(bytes + 4, 1);
  return head;
}

/** A query text that PostgreSQL may ask data for. pg calls its methods. */
class CopyQuery implements pg.Submittable {
  readonly #text: string;
  readonly #onSubmit: () => void;
  readonly #start = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  readonly submission = this.#start.promise;
  readonly completion = this.#end.promise;
  hasFailed = false;

  constructor(text: string, onSubmit: () => void) {
    this.#text = text;
    this.#onSubmit = onSubmit;
    // Its failure may precede the end of the data.
    this.completion.catch(() => {});
  }

  submit(connection: pg.Connection): void {
    this.#onSubmit();
    (connection as unknown as { query(text: string): void }).query(this.#text);
    this.#start.resolve();
  }

  /** pg replaces it by a function that ends its timeout. */
  callback(): void {}

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
    this.#end.resolve();
  }

  handleError(error: Error): void {
    this.callback();
    this.hasFailed = true;
    this.#end.reject(error);
  }
}
