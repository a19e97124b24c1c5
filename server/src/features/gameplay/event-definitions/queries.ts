import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type {
  Definition,
  DefinitionPair,
  FullDefinition,
  MutableFields,
  NewDefinition,
} from './definition.ts';

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

/** Whether events may create definitions; undefined for a tenant that does not exist. */
export function findSettings(db: Querier, tenantId: string): Promise<{ autoCreate: boolean } | undefined> {
  return db.row(sql`
    SELECT auto_create_definitions AS "autoCreate" FROM tenants WHERE id = ${tenantId}`);
}

/**
 * Creates those of the definitions whose pair is free, and returns what it created. Every batch inserts in the same order:
 * so two that create the same pairs wait for each other, but never in a circle.
 */
export function insertDefinitions(
  db: Querier,
  tenantId: string,
  definitions: (NewDefinition & { id: string })[],
): Promise<FullDefinition[]> {
  return db.rows(sql`
    INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope, event_category, event_description, is_active)
    SELECT ${tenantId}, wanted.*
    FROM unnest(${definitions.map((one) => one.id)}::uuid[], ${definitions.map((one) => one.eventKey)}::text[],
                ${definitions.map((one) => one.eventValue)}::text[], ${definitions.map((one) => one.eventScope)}::text[],
                ${definitions.map((one) => one.eventCategory)}::text[],
                ${definitions.map((one) => one.eventDescription)}::text[],
                ${definitions.map((one) => one.isActive)}::boolean[])
      AS wanted (id, event_key, event_value, event_scope, event_category, event_description, is_active)
    ORDER BY event_key COLLATE "C", event_value COLLATE "C"
    ON CONFLICT ON CONSTRAINT event_definitions_triple DO NOTHING
    RETURNING ${full}`);
}

/** Definitions, locked until the transaction ends: always in the same order, so that nobody waits in a circle. */
export function lockDefinitions(
  db: Querier,
  tenantId: string,
  ids: readonly string[],
): Promise<FullDefinition[]> {
  return db.rows(sql`
    SELECT ${full} FROM event_definitions WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::uuid[])
    ORDER BY id FOR NO KEY UPDATE`);
}

export function updateDefinitions(
  db: Querier,
  tenantId: string,
  changed: (MutableFields & { id: string })[],
): Promise<FullDefinition[]> {
  return db.rows(sql`
    UPDATE event_definitions
    SET event_scope = changed.scope, event_category = changed.category, event_description = changed.description,
        is_active = changed.active, updated_at = now()
    FROM unnest(${changed.map((one) => one.id)}::uuid[], ${changed.map((one) => one.eventScope)}::text[],
                ${changed.map((one) => one.eventCategory)}::text[],
                ${changed.map((one) => one.eventDescription)}::text[], ${changed.map((one) => one.isActive)}::boolean[])
      AS changed (definition_id, scope, category, description, active)
    WHERE tenant_id = ${tenantId} AND id = definition_id
    RETURNING ${full}`);
}

/** A page of the definitions of a tenant, by key and value. */
export function listDefinitions(
  db: Querier,
  tenantId: string,
  includeInactive: boolean,
  page: PageRequest,
): Promise<FullDefinition[]> {
  return db.rows(sql`
    SELECT ${full} FROM event_definitions
    WHERE tenant_id = ${tenantId} AND (is_active OR ${includeInactive})
    ORDER BY event_key, event_value NULLS FIRST
    LIMIT ${page.limit} OFFSET ${page.offset}`);
}

/** Up to so many definitions of a tenant that come after a pair, in the order of {@link listDefinitions}. */
export function listDefinitionsAfter(
  db: Querier,
  tenantId: string,
  includeInactive: boolean,
  after: DefinitionPair | undefined,
  limit: number,
): Promise<FullDefinition[]> {
  // No value is empty, so one that is missing sorts first, as the empty text does. The first comparison is what the index serves.
  const rest = after
    ? sql`AND event_key >= ${after.eventKey}
          AND (event_key > ${after.eventKey} OR coalesce(event_value, '') > ${after.eventValue ?? ''})`
    : empty;
  return db.rows(sql`
    SELECT ${full} FROM event_definitions
    WHERE tenant_id = ${tenantId} AND (is_active OR ${includeInactive}) ${rest}
    ORDER BY event_key, event_value NULLS FIRST
    LIMIT ${limit}`);
}

/** Whether a text of a definition holds more than ASCII. */
export async function holdsMoreThanAscii(db: Querier, tenantId: string): Promise<boolean> {
  const texts = sql`concat(event_key, event_value, event_category, event_description)`;
  const row = await db.row(sql`
    SELECT FROM event_definitions
    WHERE tenant_id = ${tenantId} AND octet_length(${texts}) > char_length(${texts}) LIMIT 1`);
  return row !== undefined;
}

export function countDefinitions(db: Querier, tenantId: string, includeInactive: boolean): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM event_definitions WHERE tenant_id = ${tenantId} AND (is_active OR ${includeInactive})`);
}

/**
 * Keeps others from creating definitions in the tenant until the transaction ends. Whatever counts them afterwards must do so in a
 * statement of its own, to see what was created while this one waited.
 */
export async function lockCreation(transaction: Querier, tenantId: string): Promise<void> {
  await transaction.rows(sql`SELECT pg_advisory_xact_lock(7118025, hashtext(${tenantId}))`);
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
