import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDuckdb, type Archive } from '../features/gameplay/events/index.ts';

/** An archive without events, for tests that need none. */
export const noArchive: Archive = {
  root: join(tmpdir(), 'guildhall-no-archive'),
  duckdb: createDuckdb('@duckdb/not-installed'),
};
