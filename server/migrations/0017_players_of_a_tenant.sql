-- The players of a tenant: lists of a million in any order, and searches by name, provider user id and e-mail that look at
-- nothing beyond the tenant (docs/decisions/0026-player-search.md).

-- What two texts have in common that a search takes for the same. 256 characters always fit into an index.
CREATE FUNCTION guildhall_search_form(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(lower(normalize(value, NFKC)), 256);

-- What is filled from older tables is filled as their owner, who stands before the walls as everybody does.
ALTER TABLE tenant_access NO FORCE ROW LEVEL SECURITY;
ALTER TABLE login_ledger NO FORCE ROW LEVEL SECURITY;

-- A copy of the name for searching stands in each access record, so that the names of other tenants' players are not in the
-- way. The foreign key keeps the copies up.
ALTER TABLE players
  ADD COLUMN search_name text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (guildhall_search_form(coalesce(display_name, ''))) STORED,
  ADD CONSTRAINT players_search_name UNIQUE (id, search_name);
ALTER TABLE tenant_access ADD COLUMN search_name text COLLATE "C";
UPDATE tenant_access access SET search_name = player.search_name FROM players player WHERE player.id = access.player_id;
ALTER TABLE tenant_access
  ADD CONSTRAINT tenant_access_search_name FOREIGN KEY (player_id, search_name)
    REFERENCES players (id, search_name) ON UPDATE CASCADE;

-- The sign-in methods that were used in a tenant: no others are shown to it. The foreign key lets a row follow its method,
-- to another player when profiles are merged, and away when it is unlinked.
ALTER TABLE auth_methods ADD CONSTRAINT auth_methods_of_player UNIQUE (id, player_id);
CREATE TABLE tenant_sign_in_methods (
  tenant_id      uuid NOT NULL,
  auth_method_id uuid NOT NULL,
  player_id      uuid NOT NULL,
  auth_provider  text NOT NULL,
  search_id      text COLLATE "C" NOT NULL,         -- the provider user id as searches compare it
  search_email   text COLLATE "C",                  -- the e-mail address, where that is not the provider user id
  first_used_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, auth_method_id),
  FOREIGN KEY (auth_method_id, player_id) REFERENCES auth_methods (id, player_id) ON UPDATE CASCADE ON DELETE CASCADE
);
INSERT INTO tenant_sign_in_methods
  SELECT login.tenant_id, method.id, method.player_id, method.auth_provider,
         guildhall_search_form(method.provider_user_id),
         guildhall_search_form(nullif(method.email, method.provider_user_id)), min(login.occurred_at)
  FROM login_ledger login JOIN auth_methods method ON method.id = login.auth_method_id
  GROUP BY login.tenant_id, method.id;
CREATE INDEX tenant_sign_in_methods_method ON tenant_sign_in_methods (auth_method_id);
CREATE INDEX tenant_sign_in_methods_id ON tenant_sign_in_methods (tenant_id, search_id, player_id);
CREATE INDEX tenant_sign_in_methods_email ON tenant_sign_in_methods (tenant_id, search_email, player_id)
  WHERE search_email IS NOT NULL;
CREATE INDEX tenant_sign_in_methods_provider ON tenant_sign_in_methods (tenant_id, auth_provider, player_id);
CALL guildhall_isolate_tenant('tenant_sign_in_methods');
GRANT SELECT, INSERT ON tenant_sign_in_methods TO guildhall_app;

-- How many players a tenant has, for counting a million takes 55 ms. Added up over rows, so that first sign-ins at the same
-- time do not wait for one another: a connection has its own.
CREATE TABLE tenant_player_counts (
  tenant_id uuid NOT NULL,
  shard     smallint NOT NULL DEFAULT pg_backend_pid() % 64,
  players   integer NOT NULL,                       -- may be negative: who came by one connection may go by another
  PRIMARY KEY (tenant_id, shard)
) WITH (fillfactor = 50);
INSERT INTO tenant_player_counts (tenant_id, players) SELECT tenant_id, count(*) FROM tenant_access GROUP BY tenant_id;
CALL guildhall_isolate_tenant('tenant_player_counts');
-- A merge joins access records of whatever tenants the two profiles have been in.
CREATE POLICY merges ON tenant_player_counts TO guildhall_player USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenant_player_counts TO guildhall_app;
GRANT SELECT, INSERT, UPDATE ON tenant_player_counts TO guildhall_player;

-- The lists, in every order. By last_seen_at in two steps, of which only the first has an index: with one on the time itself every
-- login would have to write to all indexes of its row, which costs PostgreSQL a third of a login.
ALTER TABLE tenant_access ADD COLUMN last_seen_hour timestamptz NOT NULL
  GENERATED ALWAYS AS (date_bin('1 hour', last_seen_at, '2000-01-01 00:00:00+00')) STORED;
CREATE INDEX tenant_access_last_seen ON tenant_access (tenant_id, last_seen_hour);
CREATE INDEX tenant_access_first_seen ON tenant_access (tenant_id, first_seen_at, player_id);
CREATE INDEX tenant_access_name ON tenant_access (tenant_id, search_name, player_id);
CREATE INDEX tenant_access_banned ON tenant_access (tenant_id, banned_until, player_id) WHERE banned_until IS NOT NULL;
CREATE INDEX tenant_access_hidden ON tenant_access (tenant_id, player_id) WHERE hidden_from_discovery;

ALTER TABLE tenant_access FORCE ROW LEVEL SECURITY;
ALTER TABLE login_ledger FORCE ROW LEVEL SECURITY;
