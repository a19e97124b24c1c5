-- The roles that the application acts as, and the rules that later migrations apply to their tables.
--
-- guildhall_app            does the work: it owns nothing, so that row-level security and the missing UPDATE and
--                          DELETE rights on ledgers hold for it.
-- guildhall_player         does the same for one player over all tenants (their history, their devices' sessions). A role of
--                          its own, because two policies on one role are joined by OR, which no index serves.
-- guildhall_event_writer   adds rows to the two event tables by COPY and can do nothing else. PostgreSQL refuses COPY
--                          under row-level security, so it needs BYPASSRLS; where the server does not let us grant
--                          that, events are inserted by guildhall_app instead, which is slower.

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

-- Roles belong to the whole server and are shared by its databases; several may be migrated at once.
SELECT pg_advisory_xact_lock(7118001);
GRANT guildhall_app, guildhall_player, guildhall_event_writer TO CURRENT_USER;
GRANT USAGE ON SCHEMA public TO guildhall_app, guildhall_player, guildhall_event_writer;

-- The tenant, the workspace and the player that the running transaction speaks for; null outside of such a scope.
CREATE FUNCTION guildhall_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.tenant_id', true), '')::uuid;
CREATE FUNCTION guildhall_workspace() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.workspace_id', true), '')::uuid;
CREATE FUNCTION guildhall_player() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.player_id', true), '')::uuid;

-- Puts a table behind the wall between tenants. With player_too, a player's scope sees their own rows in all tenants.
CREATE PROCEDURE guildhall_isolate_tenant(target regclass, player_too boolean DEFAULT false) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY tenant_isolation ON %s TO guildhall_app USING (tenant_id = guildhall_tenant())', target);
  IF player_too THEN
    EXECUTE format('CREATE POLICY own_rows ON %s TO guildhall_player USING (player_id = guildhall_player())', target);
  END IF;
END $$;

-- Tells every server process that a cached row changed. Payload: the table and, where it has one, the tenant.
CREATE FUNCTION guildhall_notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  PERFORM pg_notify('guildhall_changes', TG_TABLE_NAME || ' ' || coalesce(changed ->> TG_ARGV[0], ''));
  RETURN NULL;
END $$;
