import { existsSync } from 'node:fs';
import pg from 'pg';
import { createArchiveBucket } from '../features/gameplay/events/archive/parts/archive-bucket.ts';
import { archiveEvents } from '../features/gameplay/events/archive/writing/archive-events.ts';
import type { Archive } from '../features/gameplay/events/archive/parts/archive.ts';
import { createDuckdb } from '../features/gameplay/events/archive/duckdb/duckdb.ts';
import { bucketAt } from './s3-server.ts';

// A process that archives events and kills itself at one step: node killed-archiver.ts <database> <folder> <before> <step> [<S3 server>]

const [databaseUrl, root = '', before = '', step = '', endpoint] = process.argv.slice(2);
const kill = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('It is killed.');
};

const duckdb = createDuckdb();
const archive: Archive = {
  root,
  bucket: endpoint === undefined ? undefined : createArchiveBucket(bucketAt(endpoint), root, 1e9),
  duckdb: async (job, limits) => {
    if (step === 'registered') kill();
    const rows = await duckdb(job, limits);
    const isWritten = job.writes!.some((folder) => existsSync(`${folder}/proofs.parquet`));
    if (step === 'files-written' && isWritten) kill();
    return rows;
  },
};

const owner = new pg.Pool({ connectionString: databaseUrl, max: 2 });
owner.on('connect', (client) => {
  const query = client.query.bind(client) as (...sent: unknown[]) => unknown;
  let hasSnapshot = false;
  let capturesLateEvents = false;
  Object.assign(client, {
    query(...sent: unknown[]) {
      const [statement] = sent;
      const text = typeof statement === 'string' ? statement : '';
      const after = () => (query(...sent) as Promise<unknown>).then(kill);
      hasSnapshot ||= text.startsWith('BEGIN ISOLATION LEVEL REPEATABLE READ');
      capturesLateEvents ||= text.includes('CREATE TRIGGER');
      if (step === 'late-captured' && capturesLateEvents && text === 'COMMIT') return after();
      // The snapshot ends when all parts have their names.
      if (step === 'part-published' && hasSnapshot && text === 'COMMIT') kill();
      if (step === 'before-commit' && text.includes('ATTACH PARTITION')) return after();
      if (step === 'committed' && text.startsWith('DROP TABLE dropped_')) kill();
      return query(...sent);
    },
  });
});
await archiveEvents(owner, archive, before);
process.exit(0);
