import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findShardProblems } from './distributed-tables.ts';

const tables = new Map([
  ['runs', { columns: new Set(['tenant_id', 'id', 'player_id']), key: 'tenant_id' }],
  ['laps', { columns: new Set(['tenant_id', 'run_id', 'ms']), key: 'tenant_id' }],
  ['tracks', { columns: new Set(['id', 'name']), key: undefined }],
]);

/** Statements that run on one shard. */
const ONE_SHARD: Record<string, string> = {
  'compares the key': 'SELECT FROM runs WHERE tenant_id = $1 AND id = $2',
  'compares it with an array': 'DELETE FROM runs run WHERE run.tenant_id = ANY ($1)',
  'compares it in each branch':
    'SELECT FROM runs WHERE (tenant_id = $1 OR ($1 = tenant_id AND player_id IS NULL)) AND id = $2',
  'compares a row': 'SELECT FROM runs WHERE (id, tenant_id) = ($1, $2)',
  'calls a function for the value': 'SELECT FROM runs WHERE tenant_id = (SELECT guildhall_tenant())',
  'compares with the parameter of a function': 'SELECT FROM runs WHERE tenant_id = wanted_tenant',
  'joins by the key':
    'SELECT FROM runs JOIN laps ON laps.tenant_id = runs.tenant_id WHERE runs.tenant_id = $1',
  'joins with USING': 'SELECT FROM runs JOIN laps USING (tenant_id) WHERE laps.tenant_id = $1',
  'joins in a sub-select':
    'SELECT (SELECT max(ms) FROM laps WHERE tenant_id = runs.tenant_id) FROM runs WHERE runs.tenant_id = $1',
  'names it in each part':
    'WITH old AS (DELETE FROM laps WHERE tenant_id = $1 RETURNING run_id) UPDATE runs SET player_id = NULL FROM old WHERE tenant_id = $1 AND id = run_id',
  'inserts it': 'INSERT INTO runs (id, tenant_id) SELECT unnest($1::uuid[]), $2',
  'inserts or updates':
    'INSERT INTO runs (tenant_id, id) VALUES ($1, $2) ON CONFLICT (tenant_id, id) DO UPDATE SET player_id = $3',
  'reads nothing': 'SELECT id FROM runs WHERE false UNION ALL SELECT id FROM runs WHERE tenant_id = $1',
  'checks a foreign key':
    'SELECT 1 FROM ONLY public.runs x WHERE tenant_id OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x',
  'reads other tables': 'SELECT FROM tracks WHERE name = $1',
  'is an expression of PL/pgSQL': '(SELECT count(*) FROM runs WHERE tenant_id = NEW.tenant_id) > 50',
};

/** Statements that run on all shards. */
const ALL_SHARDS: Record<string, { statement: string; problem: string }> = {
  'names no key': { statement: 'SELECT FROM runs WHERE id = $1', problem: 'runs without tenant_id' },
  'compares the key with itself': {
    statement: 'SELECT FROM runs JOIN laps USING (tenant_id)',
    problem: 'laps without tenant_id',
  },
  'names the key of another table': {
    statement: 'SELECT FROM runs, laps WHERE runs.tenant_id = $1 AND run_id = id',
    problem: 'laps without tenant_id',
  },
  'names it in one branch only': {
    statement: 'SELECT FROM runs WHERE tenant_id = $1 OR player_id = $2',
    problem: 'runs without tenant_id',
  },
  'excludes a key': {
    statement: 'SELECT FROM runs WHERE tenant_id <> $1',
    problem: 'runs without tenant_id',
  },
  'hides it from the planner': {
    statement: 'SELECT FROM runs WHERE (tenant_id = $1) IS TRUE',
    problem: 'runs without tenant_id',
  },
  'takes it from another table': {
    statement: 'SELECT FROM runs, tracks WHERE tenant_id = tracks.id',
    problem: 'runs without tenant_id',
  },
  'takes it from a common table expression': {
    statement:
      'WITH run AS (SELECT * FROM runs WHERE tenant_id = $1) SELECT FROM laps, run WHERE laps.tenant_id = run.tenant_id',
    problem: 'laps without tenant_id',
  },
  'names it in one side of a union': {
    statement: 'SELECT id FROM runs WHERE tenant_id = $1 UNION ALL SELECT id FROM runs',
    problem: 'runs without tenant_id',
  },
  'omits it in a sub-select': {
    statement: 'SELECT FROM runs WHERE tenant_id = $1 AND EXISTS (SELECT FROM laps WHERE run_id = id)',
    problem: 'laps without tenant_id',
  },
  'omits it in a DELETE of a CTE': {
    statement: 'WITH old AS (DELETE FROM laps RETURNING run_id) SELECT FROM runs WHERE tenant_id = $1',
    problem: 'laps without tenant_id',
  },
  'inserts no key': { statement: 'INSERT INTO runs (id) VALUES ($1)', problem: 'runs without tenant_id' },
  'changes the key': {
    statement: 'UPDATE runs SET tenant_id = $1 WHERE tenant_id = $2',
    problem: 'runs changes tenant_id',
  },
  'changes it in an upsert': {
    statement:
      'INSERT INTO runs (tenant_id, id) VALUES ($1, $2) ON CONFLICT (tenant_id, id) DO UPDATE SET tenant_id = $3',
    problem: 'runs changes tenant_id',
  },
};

describe('findShardProblems finds nothing if a statement', () => {
  for (const [name, statement] of Object.entries(ONE_SHARD))
    test(name, async () => assert.deepEqual(await findShardProblems(statement, tables), []));
});

describe('findShardProblems finds a statement that', () => {
  for (const [name, { statement, problem }] of Object.entries(ALL_SHARDS))
    test(name, async () => assert.ok((await findShardProblems(statement, tables)).includes(problem)));
});
