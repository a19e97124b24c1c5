import { columnOf } from '../../../database/column-of.ts';
import type { Querier } from '../../../database/database.ts';
import { empty, join, sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type {
  Definition,
  DefinitionFilter,
  DefinitionPair,
  FullDefinition,
  MutableFields,
  NewDefinition,
} from './definition.ts';

const known = sql`id, event_key AS "eventKey", event_value AS "eventValue", event_scope AS "eventScope",
    is_active AS "isActive"`;

const full = sql`${known}, event_category AS "eventCategory", event_description AS "eventDescription",
    created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Finds definitions by ID and by pair. The result contains a definition twice if both match. */
export function findDefinitions(
  db: Querier,
  tenantId: string,
  wanted: { ids: string[]; pairs: DefinitionPair[] },
): Promise<Definition[]> {
  return db.rows(sql`
    SELECT definition.* FROM unnest(${wanted.ids}::uuid[]) wanted (definition_id)
    CROSS JOIN LATERAL (
      SELECT ${known} FROM event_definitions WHERE tenant_id = ${tenantId} AND id = wanted.definition_id OFFSET 0) definition
    UNION ALL
    ${byPairs(tenantId, wanted.pairs)}`);
}

export function findDefinitionsByPair(
  db: Querier,
  tenantId: string,
  pairs: DefinitionPair[],
): Promise<Definition[]> {
  return db.rows(byPairs(tenantId, pairs));
}

/** Queries twice, because the unique index supports neither OR nor IS NOT DISTINCT FROM. */
function byPairs(tenantId: string, pairs: DefinitionPair[]): Sql {
  const bare = columnOf(pairs.filter((pair) => pair.eventValue === null));
  const valued = columnOf(pairs.filter((pair) => pair.eventValue !== null));
  return sql`
    SELECT definition.* FROM unnest(${bare('eventKey')}::text[]) wanted (key)
    CROSS JOIN LATERAL (
      SELECT ${known} FROM event_definitions
      WHERE tenant_id = ${tenantId} AND event_key = wanted.key AND event_value IS NULL OFFSET 0) definition
    UNION ALL
    SELECT definition.* FROM unnest(${valued('eventKey')}::text[], ${valued('eventValue')}::text[]) wanted (key, value)
    CROSS JOIN LATERAL (
      SELECT ${known} FROM event_definitions
      WHERE tenant_id = ${tenantId} AND event_key = wanted.key AND event_value = wanted.value OFFSET 0) definition`;
}

/** Returns the settings of a tenant, or undefined if the tenant does not exist. */
export function findSettings(db: Querier, tenantId: string): Promise<{ autoCreate: boolean } | undefined> {
  return db.row(sql`
    SELECT auto_create_definitions AS "autoCreate" FROM tenants WHERE id = ${tenantId}`);
}

/**
 * Creates the definitions whose pair does not exist yet, and returns them. All batches insert in the same order, which
 * prevents deadlocks between two batches with the same pairs.
 */
export function insertDefinitions(
  db: Querier,
  tenantId: string,
  definitions: (NewDefinition & { id: string })[],
): Promise<FullDefinition[]> {
  const column = columnOf(definitions);
  return db.rows(sql`
    INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, event_category, event_description, is_active)
    SELECT ${tenantId}, wanted.*
    FROM unnest(${column('id')}::uuid[], ${column('eventKey')}::text[], ${column('eventValue')}::text[],
                ${column('eventScope')}::text[], ${column('eventCategory')}::text[], ${column('eventDescription')}::text[],
                ${column('isActive')}::boolean[])
      AS wanted (id, event_key, event_value, event_scope, event_category, event_description, is_active)
    ORDER BY event_key COLLATE "C", event_value COLLATE "C"
    ON CONFLICT ON CONSTRAINT event_definitions_triple DO NOTHING
    RETURNING ${full}`);
}

/** Locks definitions until the transaction ends. The order by ID prevents deadlocks. */
export function lockDefinitions(
  db: Querier,
  tenantId: string,
  ids: readonly string[],
): Promise<FullDefinition[]> {
  return db.rows(sql`
    SELECT definition.*
    FROM (SELECT DISTINCT wanted AS definition_id FROM unnest(${ids}::uuid[]) wanted ORDER BY 1) wanted
    CROSS JOIN LATERAL (
      SELECT ${full} FROM event_definitions
      WHERE tenant_id = ${tenantId} AND id = wanted.definition_id OFFSET 0 FOR NO KEY UPDATE) definition`);
}

/**
 * Changes definitions that the transaction has locked. ON CONFLICT finds each by its key. UPDATE … FROM is a join, for which the
 * planner may read all definitions of the tenant.
 */
export function updateDefinitions(
  db: Querier,
  tenantId: string,
  changed: (MutableFields & { id: string })[],
): Promise<FullDefinition[]> {
  const column = columnOf(changed);
  return db.rows(sql`
    INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, event_category, event_description,
                                   is_active)
    SELECT known.tenant_id, known.id, known.event_key, known.event_value, changed.scope, changed.category,
           changed.description, changed.active
    FROM unnest(${column('id')}::uuid[], ${column('eventScope')}::text[], ${column('eventCategory')}::text[],
                ${column('eventDescription')}::text[], ${column('isActive')}::boolean[])
      AS changed (definition_id, scope, category, description, active)
    CROSS JOIN LATERAL (
      SELECT * FROM event_definitions WHERE tenant_id = ${tenantId} AND id = changed.definition_id OFFSET 0) known
    ON CONFLICT (tenant_id, id) DO UPDATE
      SET event_scope = excluded.event_scope, event_category = excluded.event_category,
          event_description = excluded.event_description, is_active = excluded.is_active, updated_at = now()
    RETURNING ${full}`);
}

/**
 * The first rows in the order of an index, and all rows with the last key. With the whole order in one step, the planner could sort
 * all definitions of the tenant.
 */
const firstByKey = (limit: number) => sql`ORDER BY event_key FETCH FIRST ${limit} ROWS WITH TIES`;

/** The definitions of a tenant that a filter selects. A tenant has at most 20,000, so a search reads the texts of all of them. */
function selected(
  tenantId: string,
  { includeInactive, isActive, eventScope, search }: DefinitionFilter,
): Sql {
  const states = isActive === undefined ? (includeInactive ? [true, false] : [true]) : [isActive];
  const conditions = [sql`tenant_id = ${tenantId} AND is_active = ANY (${states}::boolean[])`];
  if (eventScope !== undefined) conditions.push(sql`event_scope = ${eventScope}`);
  if (search !== undefined)
    conditions.push(sql`strpos(
      lower(normalize(concat_ws(chr(10), event_key, event_value, event_category, event_description), NFKC)),
      lower(normalize(${search}, NFKC))) > 0`);
  return join(conditions, ' AND ');
}

/** Returns a page of the definitions of a tenant, sorted by key and value. */
export function listDefinitions(
  db: Querier,
  tenantId: string,
  filter: DefinitionFilter,
  page: PageRequest,
): Promise<FullDefinition[]> {
  return db.rows(sql`
    SELECT ${full} FROM (
      SELECT * FROM event_definitions
      WHERE ${selected(tenantId, filter)}
      ${firstByKey(page.limit + page.offset)}) definition
    ORDER BY event_key, event_value NULLS FIRST
    LIMIT ${page.limit} OFFSET ${page.offset}`);
}

/** Returns up to `limit` definitions after a pair, in the order of {@link listDefinitions}. */
export function listDefinitionsAfter(
  db: Querier,
  tenantId: string,
  filter: DefinitionFilter,
  after: DefinitionPair | undefined,
  limit: number,
): Promise<FullDefinition[]> {
  // No stored value is empty, so '' can stand for null, which sorts first. The first comparison lets PostgreSQL use the index.
  const rest = after
    ? sql`AND event_key >= ${after.eventKey}
          AND (event_key > ${after.eventKey} OR coalesce(event_value, '') > ${after.eventValue ?? ''})`
    : empty;
  return db.rows(sql`
    SELECT ${full} FROM (
      SELECT * FROM event_definitions
      WHERE ${selected(tenantId, filter)} ${rest}
      ${firstByKey(limit)}) definition
    ORDER BY event_key, event_value NULLS FIRST
    LIMIT ${limit}`);
}

/** Returns whether any definition of a tenant contains non-ASCII text. */
export function hasNonAsciiText(db: Querier, tenantId: string): Promise<boolean> {
  const texts = sql`concat(event_key, event_value, event_category, event_description)`;
  return db.exists(sql`
    SELECT FROM event_definitions
    WHERE tenant_id = ${tenantId} AND octet_length(${texts}) > char_length(${texts}) LIMIT 1`);
}

export function countDefinitions(db: Querier, tenantId: string, filter: DefinitionFilter): Promise<number> {
  return db.count(sql`SELECT count(*) FROM event_definitions WHERE ${selected(tenantId, filter)}`);
}

/** Changes the auto-create setting. Returns false if it has this value already. */
export function updateSettings(db: Querier, tenantId: string, autoCreate: boolean): Promise<boolean> {
  return db.changes(sql`
    UPDATE tenants SET auto_create_definitions = ${autoCreate}
    WHERE id = ${tenantId} AND auto_create_definitions <> ${autoCreate}`);
}
