import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { Provider } from './providers.ts';

/** A game, or one environment of a game. */
export interface Tenant {
  id: string;
  workspaceId: string;
  name: string;
  slug: string;
  hiddenFromDiscovery: boolean;
  isActive: boolean;
  isDemo: boolean;
  settings: TenantSettings;
  createdAt: string;
  disabledAt: string | null;
}

export interface TenantSettings {
  autoCreateDefinitions: boolean;
}

const columns = sql`
  id, workspace_id AS "workspaceId", name, slug, hidden_from_discovery AS "hiddenFromDiscovery",
  disabled_at IS NULL AS "isActive", is_demo AS "isDemo",
  jsonb_build_object('autoCreateDefinitions', auto_create_definitions) AS settings,
  created_at AS "createdAt", disabled_at AS "disabledAt"`;

/** Lists the tenants of a workspace: those that are not disabled first, then oldest first. */
export function listTenants(
  db: Querier,
  workspaceId: string,
  { limit, offset }: PageRequest,
): Promise<Tenant[]> {
  return db.rows(sql`
    SELECT ${columns} FROM tenants WHERE workspace_id = ${workspaceId}
    ORDER BY disabled_at IS NOT NULL, created_at, id LIMIT ${limit} OFFSET ${offset}`);
}

/** Lists the ids of all tenants. Needs the scope of the platform. */
export async function listTenantIds(platform: Querier): Promise<string[]> {
  const rows = await platform.rows<{ id: string }>(sql`SELECT id FROM tenants ORDER BY id`);
  return rows.map(({ id }) => id);
}

export function countTenants(db: Querier, workspaceId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM tenants WHERE workspace_id = ${workspaceId}`);
}

export function countActiveTenants(db: Querier, workspaceId: string): Promise<number> {
  return db.count(
    sql`SELECT count(*) FROM tenants WHERE workspace_id = ${workspaceId} AND disabled_at IS NULL`,
  );
}

export function findTenant(db: Querier, tenantId: string): Promise<Tenant | undefined> {
  return db.row(sql`SELECT ${columns} FROM tenants WHERE id = ${tenantId}`);
}

/** Finds the id of a tenant that is not disabled. Needs the scope of the platform. */
export function findActiveTenant(platform: Querier, tenantId: string): Promise<{ id: string } | undefined> {
  return platform.row(sql`SELECT id FROM tenants WHERE id = ${tenantId} AND disabled_at IS NULL`);
}

/** Finds the id of the oldest demo that is not disabled. Needs the scope of the platform. */
export function findDemoTenant(platform: Querier): Promise<{ id: string } | undefined> {
  return platform.row(sql`SELECT id FROM tenants WHERE is_demo AND disabled_at IS NULL ORDER BY id LIMIT 1`);
}

/** Finds a tenant and locks its row until the transaction ends. */
export function lockTenant(db: Querier, tenantId: string): Promise<Tenant | undefined> {
  return db.row(sql`SELECT ${columns} FROM tenants WHERE id = ${tenantId} FOR NO KEY UPDATE`);
}

interface TenantRow {
  id: string;
  workspaceId: string;
  name: string;
  slug: string;
  hiddenFromDiscovery: boolean;
  autoCreateDefinitions: boolean;
  isDemo: boolean;
}

/** Returns the new tenant, or undefined if another tenant of the workspace has the slug. */
export function insertTenant(db: Querier, tenant: TenantRow): Promise<Tenant | undefined> {
  return db.row(sql`
    INSERT INTO tenants (id, workspace_id, name, slug, hidden_from_discovery, auto_create_definitions, is_demo)
    VALUES (${tenant.id}, ${tenant.workspaceId}, ${tenant.name}, ${tenant.slug}, ${tenant.hiddenFromDiscovery},
            ${tenant.autoCreateDefinitions}, ${tenant.isDemo})
    ON CONFLICT (workspace_id, slug) DO NOTHING
    RETURNING ${columns}`);
}

export interface ChangeableTenant {
  name: string;
  slug: string;
  hiddenFromDiscovery: boolean;
  isActive: boolean;
  settings: TenantSettings;
}

/** Updates a tenant. If the tenant is already disabled, `disabled_at` keeps its value. */
export function updateTenant(
  db: Querier,
  tenantId: string,
  { name, slug, hiddenFromDiscovery, isActive, settings }: ChangeableTenant,
): Promise<Tenant> {
  return db.one(sql`
    UPDATE tenants
    SET name = ${name}, slug = ${slug}, hidden_from_discovery = ${hiddenFromDiscovery},
        auto_create_definitions = ${settings.autoCreateDefinitions},
        disabled_at = CASE WHEN ${isActive} THEN NULL ELSE coalesce(disabled_at, now()) END
    WHERE id = ${tenantId}
    RETURNING ${columns}`);
}

/** The stored settings of one provider in a tenant. */
export interface ProviderSettingsRow {
  provider: Provider;
  enabled: boolean;
  /** The settings that the API can return. */
  settings: Record<string, unknown>;
  /** The write-only settings, as encrypted JSON. */
  secrets: Buffer | null;
  updatedAt: string;
}

/** Lists the stored provider settings of a tenant. `isDemo` is true in the demo tenant. */
export function listProviderSettings(
  db: Querier,
  tenantId: string,
): Promise<(ProviderSettingsRow & { isDemo: boolean })[]> {
  return db.rows(sql`
    SELECT setting.provider, setting.enabled, setting.settings, setting.secrets, tenant.is_demo AS "isDemo",
           setting.updated_at AS "updatedAt"
    FROM provider_settings setting
    JOIN tenants tenant ON tenant.id = setting.tenant_id
    WHERE setting.tenant_id = ${tenantId}`);
}

export function upsertProviderSettings(
  db: Querier,
  row: Omit<ProviderSettingsRow, 'updatedAt'> & { tenantId: string },
): Promise<ProviderSettingsRow> {
  return db.one(sql`
    INSERT INTO provider_settings (tenant_id, provider, enabled, settings, secrets)
    VALUES (${row.tenantId}, ${row.provider}, ${row.enabled}, ${JSON.stringify(row.settings)}::jsonb, ${row.secrets})
    ON CONFLICT (tenant_id, provider) DO UPDATE
    SET enabled = excluded.enabled, settings = excluded.settings, secrets = excluded.secrets, updated_at = now()
    RETURNING provider, enabled, settings, secrets, updated_at AS "updatedAt"`);
}
