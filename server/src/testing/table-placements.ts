/**
 * The nodes on which a cluster of Citus would keep the rows of each table (docs/decisions/0064-citus.md). Tests compare the schema and the
 * statements with it. Each table of the schema has exactly one place.
 */
export type Placement = 'tenant' | 'player' | 'reference' | 'coordinator';

/** The column by which a table is distributed. */
export const distributionColumns: Partial<Record<Placement, string>> = {
  tenant: 'tenant_id',
  player: 'player_id',
};

export const placements: Record<Placement, string[]> = {
  /** On the node of the tenant. */
  tenant: [
    'ban_fingerprints',
    'chain_heads',
    'email_tokens',
    'event_archives',
    'event_definitions',
    'event_rollup_deltas',
    'event_rollups',
    'idempotency_records',
    'login_ledger',
    'login_rollups',
    'login_sessions',
    'logout_ledger',
    'logout_rollups',
    'mail_counts',
    'match_events',
    'match_players',
    'match_sessions',
    'one_time_codes',
    'player_bans',
    'player_events',
    'player_notes',
    'player_numbers',
    'player_rollups',
    'provider_settings',
    'refresh_tokens',
    'session_rollups',
    'tenant_access',
    'tenant_merged_profiles',
    'tenant_player_counts',
    'tenant_sign_in_methods',
    'third_party_refresh_tokens',
    'wallet_challenges',
    'wallet_ledger_entries',
    'wallet_ledgers',
    'wallet_matches',
    'wallet_passwords',
    'wallet_players',
    'wallet_sessions',
  ],

  /** On the node of the player. */
  player: ['devices'],

  /** A copy on each node: small tables that rows of tenants refer to or are joined with. */
  reference: [
    'accounts',
    // A sign-in joins the player and the method with rows of the tenant, and finds the method by its identity.
    'auth_methods',
    'event_rollup_starts',
    'players',
    'tenant_keys',
    'tenants',
    'workspaces',
  ],

  /** On the coordinator alone: the dashboard, queues, and rows that are found before their tenant or player is known. */
  coordinator: [
    'account_recovery_codes',
    'account_refresh_tokens',
    'account_sessions',
    'account_tokens',
    'account_totp',
    // Lists of a workspace, and few rows.
    'alert_times',
    'alerts',
    // Some records are about no tenant.
    'audit_records',
    // One signer writes for all tenants, in one order.
    'chain_attempts',
    'chain_outbox',
    'chain_writers',
    'deletion_receipts',
    'email_credentials',
    'invitations',
    'mail_budgets',
    'mails',
    'memberships',
    'migrations',
    'notification_counts',
    'notifications',
    'portal_refresh_tokens',
    'portal_sessions',
    'signing_keys',
    'store_a_portal_logins',
    // The limit of a workspace is over all of its tenants.
    'usage_allowances',
    'usage_entries',
    'usage_totals',
    'usage_warnings',
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_redeliveries',
    'webhooks',
  ],
};

const byTable = new Map(
  Object.entries(placements).flatMap(([place, tables]) =>
    tables.map((table) => [table, place as Placement] as const),
  ),
);

export const placementOf = (table: string): Placement | undefined => byTable.get(table);
