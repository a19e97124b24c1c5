import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The socket of a connection. */
export function streamOf(client: pg.ClientBase): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

/** Sends all queries of this turn of the event loop in one packet: one system call, and one wake-up of PostgreSQL. */
export function inOnePacket(client: pg.ClientBase): void {
  const stream = streamOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}
