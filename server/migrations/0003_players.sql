-- Players, how they sign in, where they have been. One person has one profile over all tenants, so players, their
-- sign-in methods and their devices stand outside of the wall; what happens in a tenant stands behind it.

CREATE TABLE players (
  id                 uuid PRIMARY KEY,
  display_name       text,
  avatar_url         text,
  email              text,
  platform_role      text NOT NULL DEFAULT 'User',
  profile_visibility text NOT NULL DEFAULT 'limited' CHECK (profile_visibility IN ('private', 'limited', 'full')),
  is_active          boolean NOT NULL DEFAULT true,
  is_back_merged     boolean NOT NULL DEFAULT false,
  merged_into_id     uuid REFERENCES players,
  created_at         timestamptz NOT NULL
);
CREATE INDEX ON players (merged_into_id) WHERE merged_into_id IS NOT NULL;

-- The identity at the provider decides who somebody is. `issuer` tells identities apart that only are unique within
-- something: the workspace for Mock, the token's issuer for WalletJwt; empty where the provider is one for all.
CREATE TABLE auth_methods (
  id                uuid PRIMARY KEY,
  player_id         uuid NOT NULL REFERENCES players,
  auth_provider     text NOT NULL,
  issuer            text NOT NULL DEFAULT '',
  provider_user_id  text NOT NULL,
  email             text,
  username          text,
  display_name      text,
  avatar_url        text,
  is_primary        boolean NOT NULL DEFAULT false,
  secret_hash       bytea,                          -- Mock: HMAC of the password
  linked_at         timestamptz NOT NULL,
  last_used_at      timestamptz,
  UNIQUE (auth_provider, issuer, provider_user_id)
) WITH (fillfactor = 80);
CREATE INDEX ON auth_methods (player_id);

CREATE TABLE devices (
  id                 uuid PRIMARY KEY,
  player_id          uuid NOT NULL REFERENCES players,
  device_fingerprint text NOT NULL,
  platform           text NOT NULL,
  hardware_model     text,
  os_version         text,
  device_name        text,
  is_trusted         boolean NOT NULL DEFAULT false,
  is_blocked         boolean NOT NULL DEFAULT false,
  first_seen_at      timestamptz NOT NULL,
  last_seen_at       timestamptz NOT NULL,
  login_count        integer NOT NULL DEFAULT 1,
  metadata           jsonb NOT NULL DEFAULT '{}',
  created_at_gl      timestamptz NOT NULL,
  updated_at_gl      timestamptz NOT NULL,
  received_at_db     timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (player_id, device_fingerprint)
) WITH (fillfactor = 80);

-- A player's access record in a tenant. Its row is the lock under which sign-in and ban meet.
CREATE TABLE tenant_access (
  tenant_id             uuid NOT NULL REFERENCES tenants,
  player_id             uuid NOT NULL REFERENCES players,
  tenant_role           text NOT NULL DEFAULT 'player',
  first_seen_at         timestamptz NOT NULL,
  last_seen_at          timestamptz NOT NULL,
  login_count           integer NOT NULL DEFAULT 1,
  hidden_from_discovery boolean NOT NULL DEFAULT false,
  banned_until          timestamptz,                -- null: not banned; infinity: until lifted
  PRIMARY KEY (tenant_id, player_id)
) WITH (fillfactor = 80);
CREATE INDEX ON tenant_access (player_id);
CALL guildhall_isolate_tenant('tenant_access', player_too => true);

-- The session state: one row a session, whose lock orders refresh, logout, ban and block. It has no foreign keys, as
-- nor have the ledgers and events below: the statement that writes a row has just read its parents, and no parent is
-- ever deleted.
CREATE TABLE login_sessions (
  tenant_id         uuid NOT NULL,
  session_id        uuid NOT NULL,
  player_id         uuid NOT NULL,
  started_at        timestamptz NOT NULL,
  ended_at          timestamptz,
  last_seen_at      timestamptz NOT NULL,
  auth_provider     text NOT NULL,
  device_id         uuid,
  platform          text NOT NULL,
  client_version    text,
  last_ip_address   inet,
  tokens_revoked_at timestamptz,                    -- no refresh token of the session works from here on
  updated_at_db     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 90);
CREATE INDEX ON login_sessions (player_id, tenant_id, last_seen_at);
CALL guildhall_isolate_tenant('login_sessions', player_too => true);

-- Every refresh token of a session until it expires; a used one stays, so that its second use is noticed.
CREATE TABLE refresh_tokens (
  tenant_id  uuid NOT NULL,
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (tenant_id, token_hash)
) WITH (fillfactor = 90);
CALL guildhall_isolate_tenant('refresh_tokens');

CREATE TABLE login_ledger (
  tenant_id      uuid NOT NULL,
  id             uuid NOT NULL,
  session_id     uuid NOT NULL,
  player_id      uuid NOT NULL,
  auth_method_id uuid,
  auth_provider  text NOT NULL,
  device_id      uuid,
  platform       text NOT NULL,
  client_version text,
  client_build   text,
  ip_address     inet,
  occurred_at    timestamptz NOT NULL,
  created_at_gl  timestamptz NOT NULL,
  received_at_db timestamptz NOT NULL DEFAULT clock_timestamp(),
  metadata       jsonb NOT NULL DEFAULT '{}',
  row_hash       bytea NOT NULL,
  PRIMARY KEY (tenant_id, received_at_db, id)
) PARTITION BY RANGE (received_at_db);
CREATE INDEX ON login_ledger (player_id, received_at_db, id);
CREATE TABLE login_ledger_default PARTITION OF login_ledger DEFAULT;
CALL guildhall_isolate_tenant('login_ledger', player_too => true);

CREATE TABLE logout_ledger (
  tenant_id      uuid NOT NULL,
  id             uuid NOT NULL,
  session_id     uuid NOT NULL,
  player_id      uuid NOT NULL,
  reason         text NOT NULL,
  message        text,
  occurred_at    timestamptz NOT NULL,
  created_at_gl  timestamptz NOT NULL,
  received_at_db timestamptz NOT NULL DEFAULT clock_timestamp(),
  metadata       jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, received_at_db, id)
) PARTITION BY RANGE (received_at_db);
CREATE INDEX ON logout_ledger (player_id, received_at_db, id);
CREATE TABLE logout_ledger_default PARTITION OF logout_ledger DEFAULT;
CALL guildhall_isolate_tenant('logout_ledger', player_too => true);

-- The history of bans; the one in force is tenant_access.banned_until.
CREATE TABLE player_bans (
  tenant_id  uuid NOT NULL,
  id         uuid NOT NULL,
  player_id  uuid NOT NULL,
  reason     text,
  note       text,
  until      timestamptz,                           -- null: until lifted
  banned_by  uuid NOT NULL,
  banned_at  timestamptz NOT NULL DEFAULT now(),
  lifted_by  uuid,
  lifted_at  timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON player_bans (tenant_id, player_id);
CALL guildhall_isolate_tenant('player_bans');

GRANT SELECT, INSERT, UPDATE, DELETE ON players, auth_methods, devices, tenant_access, login_sessions, refresh_tokens,
  player_bans TO guildhall_app;
GRANT SELECT, INSERT ON login_ledger, logout_ledger TO guildhall_app;
GRANT SELECT, UPDATE ON players, auth_methods, devices, tenant_access, login_sessions TO guildhall_player;
GRANT SELECT ON login_ledger, logout_ledger, tenants TO guildhall_player;
GRANT INSERT ON audit_records TO guildhall_player;

-- Ends the running statement, and so its transaction, for a reason that the application understands: a statement can so
-- refuse what it finds once its rows are locked, without a further round trip that would hold the locks.
CREATE FUNCTION guildhall_refuse(reason text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'GH001', MESSAGE = reason;
END $$;
