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
