-- Reading sessions back: a player's history and summary over all tenants, a tenant's analytics, forced ends of sessions.

-- The player of the scope with all whom they absorbed by merging: ledger rows keep the id that they were written with.
CREATE FUNCTION guildhall_person() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (
    WITH RECURSIVE person AS (
      SELECT guildhall_player() AS id
      UNION
      SELECT absorbed.id FROM person JOIN players absorbed ON absorbed.merged_into_id = person.id)
    SELECT array_agg(id) FROM person);

-- In a sub-select, so that a query asks it once and not for each row.
DROP POLICY own_rows ON login_ledger;
CREATE POLICY own_rows ON login_ledger TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- Holds all that counting a player's logins, and cutting a page of them for one tenant, needs: 50,000 logins are counted
-- without a look at their rows.
DROP INDEX login_ledger_player_id_received_at_db_id_idx;
CREATE INDEX login_ledger_of_player ON login_ledger (player_id, received_at_db, id) INCLUDE (tenant_id, platform);

-- A player who blocks a device ends its sessions.
GRANT INSERT ON logout_ledger TO guildhall_player;

-- The ledgers counted by hours, days and months of received_at_db in UTC. Rows are written once, when their hour, day or
-- month is over and no transaction can add to it any more, and never change (docs/decisions/0018-session-rollups.md).
CREATE TABLE session_rollups (
  tenant_id        uuid PRIMARY KEY REFERENCES tenants,
  rolled_up_to     timestamptz NOT NULL DEFAULT '-infinity',   -- an hour: what came before is counted, what came after is not
  numbered_players integer NOT NULL DEFAULT 0
);
CALL guildhall_isolate_tenant('session_rollups');

CREATE TABLE login_rollups (
  tenant_id     uuid NOT NULL,
  span          text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at     timestamptz NOT NULL,
  platform      text NOT NULL,
  auth_provider text NOT NULL,
  logins        bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at, platform, auth_provider)
);
CALL guildhall_isolate_tenant('login_rollups');

CREATE TABLE logout_rollups (
  tenant_id uuid NOT NULL,
  span      text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at timestamptz NOT NULL,
  logouts   bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at)
);
CALL guildhall_isolate_tenant('logout_rollups');

-- Who signed in, a bit for each player: so distinct players of any range are counted exactly, by OR. A page holds the
-- players numbered 4,096 × page and on; pages without any are not there. 4,096 bits stay below what PostgreSQL moves out
-- of the row.
CREATE TABLE player_rollups (
  tenant_id uuid NOT NULL,
  span      text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at timestamptz NOT NULL,
  page      integer NOT NULL,
  players   bit(4096) NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at, page)
);
CALL guildhall_isolate_tenant('player_rollups');

-- The place of a player in those bits: 0, 1, 2 … within a tenant, in the order of their first logins.
CREATE TABLE player_numbers (
  tenant_id uuid NOT NULL,
  player_id uuid NOT NULL,
  number    integer NOT NULL,
  PRIMARY KEY (tenant_id, player_id)
);
CALL guildhall_isolate_tenant('player_numbers');

GRANT SELECT, INSERT, UPDATE, DELETE ON session_rollups TO guildhall_app;
GRANT SELECT, INSERT ON login_rollups, logout_rollups, player_rollups, player_numbers TO guildhall_app;
