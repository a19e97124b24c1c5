import type * as duckdbApi from '@duckdb/node-api';
import type { DuckdbAnswer, DuckdbJob, DuckdbRow } from './duckdb.ts';
import { literal } from './duckdb-sql.ts';

// The program of a process that runs jobs with DuckDB, one after another. It has no credentials and no connection to PostgreSQL.
// DuckDB opens the files of its job only.

process.on('message', (job: DuckdbJob) => {
  void run(job).then((answer) => process.send!(answer));
});
// The server has died, or does not need this process any more.
process.on('disconnect', () => process.exit(0));

async function run(job: DuckdbJob): Promise<DuckdbAnswer> {
  let duckdb: typeof duckdbApi;
  try {
    duckdb = (await import(job.module)) as typeof duckdbApi;
  } catch {
    return { isMissing: true };
  }
  try {
    const instance = await duckdb.DuckDBInstance.create(':memory:', {
      memory_limit: `${job.memoryMegabytes}MB`,
      threads: String(job.threads),
      temp_directory: job.temporary ?? '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    });
    const connection = await instance.connect();
    try {
      await lock(connection, job);
      let rows: DuckdbRow[] = [];
      for (const { text, values = [] } of job.statements)
        rows = await readRows(duckdb, connection, text, values, job.maxRows);
      return { rows };
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Prevents the statements from reading and writing other files than those of the job. */
async function lock(connection: duckdbApi.DuckDBConnection, job: DuckdbJob): Promise<void> {
  await connection.run(`SET allowed_paths = [${job.reads.map(literal).join(', ')}]`);
  await connection.run(`SET allowed_directories = [${job.writes.map(literal).join(', ')}]`);
  await connection.run(`SET enable_external_access = false`);
  await connection.run(`SET lock_configuration = true`);
}

async function readRows(
  { LIST, VARCHAR, listValue }: typeof duckdbApi,
  connection: duckdbApi.DuckDBConnection,
  text: string,
  values: (string | string[])[],
  maxRows: number,
): Promise<DuckdbRow[]> {
  const reader = await connection.streamAndReadUntil(
    text,
    maxRows,
    values.map((value): duckdbApi.DuckDBValue => (typeof value === 'string' ? value : listValue(value))),
    values.map((value) => (typeof value === 'string' ? VARCHAR : LIST(VARCHAR))),
  );
  return reader.getRowObjectsJson().slice(0, maxRows);
}
