-- The roles that the application acts as, and the functions that the tables of all later files use.
--
-- guildhall_app            does the work. It owns nothing, so row-level security and the missing UPDATE and DELETE grants on
--                          ledgers hold for it.
-- guildhall_player         does the same for one player in all tenants. It is a role of its own, because PostgreSQL joins two
--                          policies of one role by OR, which no index serves.
-- guildhall_event_writer   adds rows to the two event tables by COPY and can do nothing else. PostgreSQL refuses COPY under
--                          row-level security, so the role needs BYPASSRLS. If the server does not grant that, guildhall_app
--                          inserts the events, which is slower.

DO $$
BEGIN
  CREATE ROLE guildhall_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

DO $$
BEGIN
  CREATE ROLE guildhall_player NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

DO $$
BEGIN
  CREATE ROLE guildhall_event_writer NOLOGIN BYPASSRLS;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    BEGIN
      CREATE ROLE guildhall_event_writer NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
END $$;

-- Roles belong to the whole server. Several of its databases may be migrated at the same time.
SELECT pg_advisory_xact_lock(7118001);
GRANT guildhall_app, guildhall_player, guildhall_event_writer TO CURRENT_USER;
GRANT USAGE ON SCHEMA public TO guildhall_app, guildhall_player, guildhall_event_writer;

-- The tenant, workspace, account and player that the running transaction acts for; null outside of such a scope.
CREATE FUNCTION guildhall_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.tenant_id', true), '')::uuid;
CREATE FUNCTION guildhall_workspace() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.workspace_id', true), '')::uuid;
CREATE FUNCTION guildhall_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.account_id', true), '')::uuid;
CREATE FUNCTION guildhall_player() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.player_id', true), '')::uuid;
-- Whether the running transaction acts for the platform admin or the worker.
CREATE FUNCTION guildhall_platform() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(current_setting('guildhall.platform', true) = 'on', false);

-- Isolates the tenants in a table. With player_too, the scope of a player sees the rows of that player in all tenants.
--
-- COALESCE hides the comparison from the planner: it only checks rows, and never chooses an index. The statement names the tenant
-- too, and two comparisons with the tenant made the planner expect one row of a tenant with thousands. The sub-select calls the
-- function once and not for each row: 100,000 rows take 19 ms instead of 94 ms (docs/decisions/0042-plans-without-statistics.md).
CREATE PROCEDURE guildhall_isolate_tenant(target regclass, player_too boolean DEFAULT false) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY tenant_isolation ON %s TO guildhall_app USING (coalesce(tenant_id = (SELECT guildhall_tenant()), false))', target);
  IF player_too THEN
    EXECUTE format('CREATE POLICY own_rows ON %s TO guildhall_player USING (player_id = guildhall_player())', target);
  END IF;
END $$;

-- Isolates the rows of a table by a condition. Functions with SECURITY DEFINER find a row by its exact key before a scope is
-- known. They run as the owner, which has a policy of its own: the server of DATABASE_URL need not let it bypass row-level
-- security. OFFSET 0 in a sub-select of a condition keeps PostgreSQL from reading its whole table into a hash table.
CREATE PROCEDURE guildhall_isolate(target regclass, condition text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY owner_works ON %s TO CURRENT_USER USING (true)', target);
  EXECUTE format('CREATE POLICY isolation ON %s TO guildhall_app USING (%s)', target, condition);
END $$;

-- Notifies every server process that a cached row changed. Payload: the table and, if it has one, the id in the named column.
CREATE FUNCTION guildhall_notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  PERFORM pg_notify('guildhall_changes', TG_TABLE_NAME || ' ' || coalesce(changed ->> TG_ARGV[0], ''));
  RETURN NULL;
END $$;

-- Ends the running statement and its transaction for a reason that the application understands. So a statement refuses what it
-- finds in rows that it has locked, without a further round trip that would hold the locks.
CREATE FUNCTION guildhall_refuse(reason text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'GH001', MESSAGE = reason;
END $$;

-- The form in which searches compare texts. 256 characters always fit into an index.
CREATE FUNCTION guildhall_search_form(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(lower(normalize(value, NFKC)), 256);
