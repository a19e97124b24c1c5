import type { Querier } from '../../database/database.ts';
import { empty, sql, type Sql } from '../../database/sql.ts';
import type { Definition, DefinitionPair, EventScope, FullDefinition, MutableFields } from './definition.ts';

const known = sql`id, event_key AS "eventKey", event_value AS "eventValue", event_scope AS "eventScope",
    is_active AS "isActive"`;

const full = sql`${known}, event_category AS "eventCategory", event_description AS "eventDescription",
    created_at AS "createdAt", updated_at AS "updatedAt"`;

/** The definitions that have one of the ids, or are one of the pairs; one that is both may come twice. */
export function findDefinitions(
  db: Querier,
  tenantId: string,
  wanted: { ids: string[]; pairs: DefinitionPair[] },
): Promise<Definition[]> {
  return db.rows(sql`
    SELECT ${known} FROM event_definitions WHERE tenant_id = ${tenantId} AND id = ANY(${wanted.ids}::uuid[])
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

/** Two look-ups in the index of the triple: it serves neither an OR nor IS NOT DISTINCT FROM. */
function byPairs(tenantId: string, pairs: DefinitionPair[]): Sql {
  const bare = pairs.filter((pair) => pair.eventValue === null);
  const valued = pairs.filter((pair) => pair.eventValue !== null);
  return sql`
    SELECT ${known} FROM event_definitions
    WHERE tenant_id = ${tenantId} AND event_value IS NULL AND event_key = ANY(${bare.map((pair) => pair.eventKey)}::text[])
    UNION ALL
    SELECT ${known} FROM event_definitions
    WHERE tenant_id = ${tenantId} AND (event_key, event_value) IN (
      SELECT * FROM unnest(${valued.map((pair) => pair.eventKey)}::text[],
                           ${valued.map((pair) => pair.eventValue)}::text[]))`;
}

/**
 * Creates those of the pairs that do not exist, and returns what it created. Every batch inserts in the same order: so two
 * that create the same pairs wait for each other, but never in a circle.
 */
export function insertMissing(
  db: Querier,
  tenantId: string,
  eventScope: EventScope,
  missing: (DefinitionPair & { id: string })[],
): Promise<Definition[]> {
  return db.rows(sql`
    INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope)
    SELECT ${tenantId}, id, event_key, event_value, ${eventScope}
    FROM unnest(${missing.map((pair) => pair.id)}::uuid[], ${missing.map((pair) => pair.eventKey)}::text[],
                ${missing.map((pair) => pair.eventValue)}::text[]) AS missing (id, event_key, event_value)
    ORDER BY event_key COLLATE "C", event_value COLLATE "C"
    ON CONFLICT ON CONSTRAINT event_definitions_triple DO NOTHING
    RETURNING ${known}`);
}

/** Whether events may create definitions; undefined for a tenant that does not exist. */
export function findSettings(db: Querier, tenantId: string): Promise<{ autoCreate: boolean } | undefined> {
  return db.row(sql`
    SELECT auto_create_definitions AS "autoCreate" FROM tenants WHERE id = ${tenantId}`);
}

/** Creates a definition; undefined where its triple exists. */
export function insertDefinition(
  db: Querier,
  tenantId: string,
  definition: DefinitionPair & MutableFields & { id: string },
): Promise<FullDefinition | undefined> {
  const { id, eventKey, eventValue, eventScope, eventCategory, eventDescription, isActive } = definition;
  return db.row(sql`
    INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, event_category, event_description, is_active)
    VALUES (${tenantId}, ${id}, ${eventKey}, ${eventValue}, ${eventScope}, ${eventCategory}, ${eventDescription}, ${isActive})
    ON CONFLICT ON CONSTRAINT event_definitions_triple DO NOTHING
    RETURNING ${full}`);
}

/** A definition, locked until the transaction ends. */
export function lockDefinition(
  db: Querier,
  tenantId: string,
  id: string,
): Promise<FullDefinition | undefined> {
  return db.row(sql`
    SELECT ${full} FROM event_definitions WHERE tenant_id = ${tenantId} AND id = ${id} FOR NO KEY UPDATE`);
}

export function updateDefinition(
  db: Querier,
  tenantId: string,
  id: string,
  fields: MutableFields,
): Promise<FullDefinition | undefined> {
  return db.row(sql`
    UPDATE event_definitions
    SET event_scope = ${fields.eventScope}, event_category = ${fields.eventCategory},
        event_description = ${fields.eventDescription}, is_active = ${fields.isActive}, updated_at = now()
    WHERE tenant_id = ${tenantId} AND id = ${id}
    RETURNING ${full}`);
}

/** The definitions of a tenant by key and value: all of them, or those of a page. */
export function listDefinitions(
  db: Querier,
  tenantId: string,
  includeInactive: boolean,
  page?: { limit: number; offset: number },
): Promise<FullDefinition[]> {
  return db.rows(sql`
    SELECT ${full} FROM event_definitions
    WHERE tenant_id = ${tenantId} AND (is_active OR ${includeInactive})
    ORDER BY event_key, event_value NULLS FIRST
    ${page ? sql`LIMIT ${page.limit} OFFSET ${page.offset}` : empty}`);
}

export async function countDefinitions(
  db: Querier,
  tenantId: string,
  includeInactive: boolean,
): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    SELECT count(*) FROM event_definitions WHERE tenant_id = ${tenantId} AND (is_active OR ${includeInactive})`);
  return row?.count ?? 0;
}

/** Changes whether events may create definitions; undefined where it was so before. */
export function updateSettings(
  db: Querier,
  tenantId: string,
  autoCreate: boolean,
): Promise<{ autoCreate: boolean } | undefined> {
  return db.row(sql`
    UPDATE tenants SET auto_create_definitions = ${autoCreate}
    WHERE id = ${tenantId} AND auto_create_definitions <> ${autoCreate}
    RETURNING auto_create_definitions AS "autoCreate"`);
}
