import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { OperatorError } from '../../core/operator-error.ts';
import { withClient } from '../../database/client.ts';

/** The kinds of messages of BASE_BACKUP since PostgreSQL 15, in their first byte. Progress messages are ignored. */
const [NEW_ARCHIVE, DATA] = ['n'.charCodeAt(0), 'd'.charCodeAt(0)];

interface ReplicationConnection {
  stream: Socket;
  on(event: 'copyData', listener: (message: { chunk: Buffer }) => void): void;
}

/**
 * Writes the files of a whole PostgreSQL server as one tar archive, with the log that makes them consistent. Uses the
 * replication protocol, like pg_basebackup, so the server keeps serving. PostgreSQL checks the checksum of each page. The role of
 * `url` needs REPLICATION. Does not end `archive`.
 */
export async function streamBaseBackup(url: string, archive: Writable): Promise<void> {
  const failed = once(archive, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => {});
  const work = async (client: pg.Client): Promise<void> => {
    // Keeps the log of PostgreSQL until the end of the connection: a checkpoint of a long backup would remove what the backup needs.
    const slot = `guildhall_backup_${randomUUID().replaceAll('-', '')}`;
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`);
    const copied = copyTo(archive, client);
    await Promise.race([
      failed,
      client.query(`BASE_BACKUP (LABEL 'guildhall', CHECKPOINT 'fast', WAL true, MANIFEST 'no')`),
    ]);
    if (copied.archives !== 1) throw new Error(`PostgreSQL sent ${copied.archives} archives instead of one.`);
  };
  try {
    await withClient(url, work, { replication: 'true' } as pg.ClientConfig);
  } catch (error) {
    // The role has no REPLICATION, or pg_hba.conf has no entry for it.
    if (!['42501', '28000'].includes((error as { code?: string }).code ?? '')) throw error;
    throw new OperatorError(
      'An older version created the embedded database, and its role may not make backups. Stop the server and copy DATA_DIR.',
      { cause: error },
    );
  }
}

/** Writes what the server sends from now on, and counts its archives. */
function copyTo(archive: Writable, client: pg.Client): { archives: number } {
  const { connection } = client as unknown as { connection: ReplicationConnection };
  const copied = { archives: 0 };
  let isWaiting = false;
  connection.on('copyData', ({ chunk }) => {
    if (chunk[0] === NEW_ARCHIVE) copied.archives++;
    if (chunk[0] !== DATA) return;
    // The parser uses the memory of the chunk again.
    const hasRoom = archive.write(Buffer.from(chunk.subarray(1)));
    if (hasRoom || isWaiting) return;
    // PostgreSQL waits while the archive is written.
    isWaiting = true;
    connection.stream.pause();
    archive.once('drain', () => {
      isWaiting = false;
      connection.stream.resume();
    });
  });
  return copied;
}
