-- The studio's side: accounts, workspaces, tenants, their keys and provider settings. Small tables, read through caches.

CREATE TABLE accounts (
  id                uuid PRIMARY KEY,
  email             text NOT NULL UNIQUE,           -- normalised: trimmed and lower-case
  password_hash     text NOT NULL,                  -- argon2id, PHC string
  display_name      text,
  is_platform_admin boolean NOT NULL DEFAULT false,
  created_at        timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE account_sessions (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz                            -- logout, or reuse of a refresh token
);
CREATE INDEX ON account_sessions (account_id);

CREATE TABLE account_refresh_tokens (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES account_sessions ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- kept after use, to notice a second one
);
CREATE INDEX ON account_refresh_tokens (session_id);

-- A workspace carries its plan, so that an operator can change one customer's limits without inventing a plan for it.
CREATE TABLE workspaces (
  id                                     uuid PRIMARY KEY,
  name                                   text NOT NULL,
  slug                                   text NOT NULL UNIQUE,
  plan                                   text NOT NULL DEFAULT 'default',
  monthly_units                          bigint,    -- null: unlimited
  hard_stop                              boolean NOT NULL DEFAULT false,
  requests_per_minute                    integer NOT NULL DEFAULT 60000,
  requests_per_hour                      integer NOT NULL DEFAULT 2000000,
  max_match_event_records_per_request    integer NOT NULL DEFAULT 10000,
  max_player_event_records_per_request   integer NOT NULL DEFAULT 10000,
  created_at                             timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  account_id   uuid NOT NULL REFERENCES accounts,
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX ON memberships (account_id);

CREATE TABLE tenants (
  id                        uuid PRIMARY KEY,
  workspace_id              uuid NOT NULL REFERENCES workspaces,
  name                      text NOT NULL,
  slug                      text NOT NULL,
  hidden_from_discovery     boolean NOT NULL DEFAULT false,
  is_demo                   boolean NOT NULL DEFAULT false, -- made by the first start: Mock is always allowed in it
  auto_create_definitions   boolean NOT NULL DEFAULT false,
  alert_requests_per_minute integer NOT NULL DEFAULT 60000,
  alert_bytes_per_minute    bigint  NOT NULL DEFAULT 67108864,
  created_at                timestamptz NOT NULL DEFAULT now(),
  disabled_at               timestamptz,            -- DELETE disables: keys stop working, nothing is erased
  UNIQUE (workspace_id, slug)
);

-- Found by fingerprint before the tenant is known, so it stands outside of the wall; every other statement names tenant_id.
CREATE TABLE tenant_keys (
  id                        uuid PRIMARY KEY,
  tenant_id                 uuid NOT NULL REFERENCES tenants,
  kind                      text NOT NULL CHECK (kind IN ('game', 'api')),
  name                      text NOT NULL,
  prefix                    text NOT NULL,          -- the part that may be shown
  fingerprint               bytea NOT NULL UNIQUE,  -- HMAC-SHA256 of the key
  allow_data_api            boolean NOT NULL DEFAULT false,
  requests_per_minute       integer,                -- null: the plan's
  requests_per_hour         integer,
  alert_requests_per_minute integer,                -- null: the tenant's
  alert_bytes_per_minute    bigint,
  subscriber_workspace_id   uuid REFERENCES workspaces,
  created_at                timestamptz NOT NULL DEFAULT now(),
  expires_at                timestamptz,
  revoked_at                timestamptz,
  last_used_at              timestamptz
);
CREATE INDEX ON tenant_keys (tenant_id, kind, created_at);

CREATE TABLE provider_settings (
  tenant_id  uuid NOT NULL REFERENCES tenants,
  provider   text NOT NULL,
  enabled    boolean NOT NULL,
  settings   jsonb NOT NULL DEFAULT '{}',           -- what may be read back
  secrets    bytea,                                 -- what may not: JSON, sealed with the master key
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, provider)
);
CALL guildhall_isolate_tenant('provider_settings');

-- The keys that sign tokens. Tokens of the newest active one; all that have not retired are published.
CREATE TABLE signing_keys (
  kid          text PRIMARY KEY,
  public_jwk   jsonb NOT NULL,
  private_jwk  bytea NOT NULL,                      -- JSON, sealed with the master key
  active_from  timestamptz NOT NULL,
  retires_at   timestamptz
);

-- What was done to what, by whom. Append-only.
CREATE TABLE audit_records (
  id           uuid PRIMARY KEY,
  occurred_at  timestamptz NOT NULL DEFAULT now(),
  workspace_id uuid,
  tenant_id    uuid,                                -- null: not about one tenant
  actor_kind   text NOT NULL CHECK (actor_kind IN ('account', 'player', 'key', 'system')),
  actor_id     uuid,
  action       text NOT NULL,                       -- event_definition.created, player.self_deleted, …
  target_id    text,
  details      jsonb NOT NULL DEFAULT '{}',         -- before and after, source, …
  ip_address   inet,
  request_id   text
);
CREATE INDEX ON audit_records (tenant_id, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX ON audit_records (target_id, id DESC);

-- Its own wall: a record about a tenant is written in that tenant's scope and read there or in its workspace's. One about
-- no tenant may be written in any scope.
ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;
CREATE POLICY read_own ON audit_records FOR SELECT TO guildhall_app
  USING (tenant_id = guildhall_tenant() OR workspace_id = guildhall_workspace());
CREATE POLICY write_own ON audit_records FOR INSERT TO guildhall_app
  WITH CHECK (tenant_id IS NULL OR tenant_id = guildhall_tenant());

GRANT SELECT, INSERT, UPDATE, DELETE ON
  accounts, account_sessions, account_refresh_tokens, workspaces, memberships, tenants, tenant_keys,
  provider_settings, signing_keys TO guildhall_app;
GRANT SELECT, INSERT ON audit_records TO guildhall_app;

CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON workspaces
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id');
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON tenants
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id');
-- last_used_at changes often and is not cached.
CREATE TRIGGER notify_change AFTER INSERT OR DELETE
    OR UPDATE OF name, allow_data_api, requests_per_minute, requests_per_hour, alert_requests_per_minute,
                 alert_bytes_per_minute, subscriber_workspace_id, expires_at, revoked_at ON tenant_keys
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON provider_settings
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON memberships
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('account_id');
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON signing_keys
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('kid');
