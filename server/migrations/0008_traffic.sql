-- Usage and alerts. Usage is what every workspace is billed, to the unit, with the hard stop of plans
-- (docs/decisions/0028-usage-metering.md).
--
-- A writing transaction adds one row to usage_entries. The table has no index, and no row that others write. The worker moves the
-- rows into daily totals, in steps of one statement. The usage is the sum of both in one snapshot: exact at any moment.

-- Entries that are not in the totals yet. The day is that of `at`, in UTC.
CREATE TABLE usage_entries (
  workspace_id uuid NOT NULL,                       -- who pays: the tenant's workspace, or the subscriber of an API key
  tenant_id    uuid NOT NULL,
  key_id       uuid NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  units        bigint NOT NULL,
  bytes_in     bigint NOT NULL DEFAULT 0,
  bytes_out    bigint NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

CREATE TABLE usage_totals (
  workspace_id uuid NOT NULL,
  day          date NOT NULL,
  tenant_id    uuid NOT NULL,
  key_id       uuid NOT NULL,
  units        bigint NOT NULL,
  bytes_in     bigint NOT NULL,
  bytes_out    bigint NOT NULL,
  PRIMARY KEY (workspace_id, day, tenant_id, key_id)
);

-- The units that are left until a hard stop, allocated to 16 slots. A transaction takes its units from one of them, so that the
-- transactions of a workspace do not queue for one row. Without rows nothing is allocated yet. Only plans with a hard stop have rows.
CREATE TABLE usage_allowances (
  workspace_id uuid NOT NULL,
  slot         integer NOT NULL,
  period_start date NOT NULL,
  units_left   bigint NOT NULL,
  PRIMARY KEY (workspace_id, slot)
) WITH (fillfactor = 50);

-- The workspaces that were warned, once for each period and plan, that a percentage of its units is used.
CREATE TABLE usage_warnings (
  workspace_id  uuid NOT NULL REFERENCES workspaces,
  period_start  date NOT NULL,
  monthly_units bigint NOT NULL,
  percent       integer NOT NULL,
  used          bigint NOT NULL,
  PRIMARY KEY (workspace_id, period_start, monthly_units, percent)
);
-- The worker writes the warnings.
CALL guildhall_isolate('usage_warnings', 'workspace_id = guildhall_workspace() OR guildhall_platform()');
GRANT SELECT, INSERT ON usage_warnings TO guildhall_app;

-- A workspace reads its own rows. Only the functions below write them. They run as the owner, which therefore has a policy of its
-- own: the server of DATABASE_URL need not let it bypass row-level security.
DO $$
DECLARE
  target text;
BEGIN
  FOREACH target IN ARRAY ARRAY['usage_entries', 'usage_totals', 'usage_allowances'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', target);
    EXECUTE format('CREATE POLICY owner_works ON %I TO CURRENT_USER USING (true)', target);
  END LOOP;
END $$;
CREATE POLICY read_own ON usage_allowances FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());
CREATE POLICY read_own ON usage_entries FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());
CREATE POLICY read_own ON usage_totals FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());
GRANT SELECT ON usage_entries, usage_totals TO guildhall_app;

-- The first day of the billing period of the running transaction: of the calendar month in UTC.
CREATE FUNCTION guildhall_period() RETURNS date LANGUAGE sql STABLE
  RETURN date_trunc('month', now() AT TIME ZONE 'UTC')::date;

-- A charge that takes nothing from the slots shares this lock. An allocation of the slots holds it alone.
CREATE FUNCTION guildhall_usage_lock(workspace uuid) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN hashtext(workspace::text);

-- Takes units if no single slot holds enough. It sums up all slots or, if this period has none, counts the usage. Then it allocates
-- the rest again. It holds a lock of the workspace: only transactions near the limit queue for it.
CREATE PROCEDURE guildhall_allocate_units(workspace uuid, period date, charged bigint) LANGUAGE plpgsql AS $$
DECLARE
  allowed bigint;
  left_over bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7118, guildhall_usage_lock(workspace));
  -- Each of the following statements sees everything that was committed before this one got the lock.
  SELECT monthly_units INTO allowed FROM workspaces WHERE id = workspace AND hard_stop;
  IF allowed IS NULL THEN RETURN; END IF;
  -- Waits for transactions that have taken from a slot and not committed yet.
  PERFORM FROM usage_allowances WHERE workspace_id = workspace FOR UPDATE;
  SELECT sum(units_left) INTO left_over FROM usage_allowances
  WHERE workspace_id = workspace AND period_start = period;
  IF left_over IS NULL THEN
    SELECT allowed - coalesce(sum(units), 0) INTO left_over FROM (
      SELECT units FROM usage_totals
      WHERE workspace_id = workspace AND day >= period AND day < period + interval '1 month'
      UNION ALL
      SELECT units FROM usage_entries
      WHERE workspace_id = workspace
        AND at >= period::timestamp AT TIME ZONE 'UTC' AND at < (period + interval '1 month') AT TIME ZONE 'UTC') used;
  END IF;
  IF left_over < charged THEN
    RAISE EXCEPTION 'quota_exceeded' USING ERRCODE = 'GH002', DETAIL = json_build_object(
      'limit', allowed, 'used', allowed - left_over,
      'periodStart', to_char(period, 'YYYY-MM-DD"T00:00:00Z"'),
      'periodEnd', to_char(period + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
  END IF;
  left_over := left_over - charged;
  INSERT INTO usage_allowances (workspace_id, slot, period_start, units_left)
  SELECT workspace, slot, period, left_over / 16 + (slot < left_over % 16)::integer FROM generate_series(0, 15) AS slot
  ON CONFLICT (workspace_id, slot) DO UPDATE
    SET period_start = excluded.period_start, units_left = excluded.units_left;
END $$;

-- Charges units for what the running transaction has written: its last statement, so that nobody waits for the locks long, or in a
-- circle. Raises GH002 if the units would pass a hard stop.
--
-- It takes the units from any slot that no other transaction holds, so it never waits there. A statement that waited for one slot
-- and then found too few units kept its lock and waited for the lock of the workspace, whose holder waited for the slot: 20 parallel
-- sign-ins took 1.0 to 2.2 s instead of 0.04 s. The exception block is a subtransaction: it gives up a slot that was locked in vain
-- before the workspace is locked.
CREATE PROCEDURE guildhall_charge_units(workspace uuid, tenant uuid, key uuid, charged bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  period date;
BEGIN
  IF charged = 0 THEN RETURN; END IF;
  IF (SELECT hard_stop AND monthly_units IS NOT NULL FROM workspaces WHERE id = workspace) THEN
    period := guildhall_period();
    BEGIN
      UPDATE usage_allowances SET units_left = units_left - charged
      WHERE workspace_id = workspace AND slot = (
        SELECT slot FROM usage_allowances
        WHERE workspace_id = workspace AND period_start = period AND units_left >= charged
        ORDER BY (slot + pg_backend_pid()) % 16 LIMIT 1
        FOR UPDATE SKIP LOCKED);
      IF NOT FOUND THEN RAISE EXCEPTION 'no slot' USING ERRCODE = 'GH003'; END IF;
    EXCEPTION WHEN SQLSTATE 'GH003' THEN
      CALL guildhall_allocate_units(workspace, period, charged);
    END;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(7118, guildhall_usage_lock(workspace));
    -- Slots exist here only if the plan got a hard stop while this waited.
    UPDATE usage_allowances SET units_left = units_left - charged
    WHERE workspace_id = workspace AND slot = pg_backend_pid() % 16;
  END IF;
  INSERT INTO usage_entries (workspace_id, tenant_id, key_id, units) VALUES (workspace, tenant, key, charged);
END $$;

-- The same as an expression, for a statement that counts what it writes.
CREATE FUNCTION guildhall_charge(workspace uuid, tenant uuid, key uuid, charged bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  CALL guildhall_charge_units(workspace, tenant, key, charged);
END $$;

-- Records usage that was admitted before, and refuses nothing: reads, and the bytes of all requests.
CREATE FUNCTION guildhall_record_usage(
  workspaces uuid[], tenants uuid[], keys uuid[], counts bigint[], received bigint[], sent bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  payer uuid;
  charged bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7118, lock)
  FROM (SELECT DISTINCT guildhall_usage_lock(workspace) AS lock FROM unnest(workspaces) AS workspace ORDER BY 1) locks;
  -- One after the other, so that two of these calls take the slots in the same order.
  FOR payer, charged IN
    SELECT workspace, sum(units) FROM unnest(workspaces, counts) AS entry (workspace, units)
    WHERE workspace IN (SELECT workspace_id FROM usage_allowances)
    GROUP BY workspace HAVING sum(units) > 0 ORDER BY workspace
  LOOP
    UPDATE usage_allowances SET units_left = units_left - charged
    WHERE workspace_id = payer AND slot = pg_backend_pid() % 16 AND units_left >= charged;
    -- If the slot holds too little, the other slots would admit units that are used. So all are deleted, and allocated again.
    IF NOT FOUND THEN DELETE FROM usage_allowances WHERE workspace_id = payer; END IF;
  END LOOP;
  INSERT INTO usage_entries (workspace_id, tenant_id, key_id, units, bytes_in, bytes_out)
  SELECT * FROM unnest(workspaces, tenants, keys, counts, received, sent);
END $$;

-- Moves entries into the daily totals, at most `most`. Returns their number, and the usage in the running period of the charged workspaces
-- that have a limit. One process at a time: another one moves nothing.
CREATE FUNCTION guildhall_aggregate_usage(most integer, OUT moved integer, OUT usage jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  charged uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(7118018) THEN
    moved := 0;
    usage := '[]';
    RETURN;
  END IF;
  WITH entry AS (
    DELETE FROM usage_entries WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_entries LIMIT most)) RETURNING *),
  folded AS (
    INSERT INTO usage_totals AS total (workspace_id, day, tenant_id, key_id, units, bytes_in, bytes_out)
    SELECT workspace_id, (at AT TIME ZONE 'UTC')::date, tenant_id, key_id, sum(units), sum(bytes_in), sum(bytes_out)
    FROM entry GROUP BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, day, tenant_id, key_id) DO UPDATE SET
      units = total.units + excluded.units, bytes_in = total.bytes_in + excluded.bytes_in,
      bytes_out = total.bytes_out + excluded.bytes_out)
  SELECT count(*), array_agg(DISTINCT workspace_id) FILTER (WHERE units > 0) INTO moved, charged FROM entry;
  -- Only a limit causes warnings. For 5,000 workspaces without one, the days of 20,000 keys took a quarter of a second every 2 seconds.
  SELECT coalesce(jsonb_agg(payer), '[]') INTO usage
  FROM (
    SELECT workspace_id AS "workspaceId", sum(units) AS used FROM usage_totals
    WHERE workspace_id = ANY (ARRAY(SELECT id FROM workspaces WHERE id = ANY (charged) AND monthly_units IS NOT NULL))
      AND day >= guildhall_period()
    GROUP BY workspace_id) payer;
END $$;

-- With another limit the slots are allocated again. The lock keeps an allocation from using the old limit.
CREATE FUNCTION guildhall_reset_allowances() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7118, guildhall_usage_lock(NEW.id));
  DELETE FROM usage_allowances WHERE workspace_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER reset_allowances AFTER UPDATE OF monthly_units, hard_stop ON workspaces
  FOR EACH ROW EXECUTE FUNCTION guildhall_reset_allowances();

REVOKE EXECUTE ON FUNCTION guildhall_charge, guildhall_record_usage, guildhall_aggregate_usage FROM PUBLIC;
REVOKE EXECUTE ON PROCEDURE guildhall_charge_units, guildhall_allocate_units FROM PUBLIC;
-- The scope of a player charges for what it writes on a key: a new password.
GRANT EXECUTE ON PROCEDURE guildhall_charge_units TO guildhall_app, guildhall_player, guildhall_event_writer;
GRANT EXECUTE ON FUNCTION guildhall_charge TO guildhall_app;
GRANT EXECUTE ON FUNCTION guildhall_record_usage TO guildhall_app, guildhall_player;
GRANT EXECUTE ON FUNCTION guildhall_aggregate_usage TO guildhall_app;

-- A key went above a threshold.
CREATE TABLE alerts (
  tenant_id    uuid NOT NULL REFERENCES tenants,
  id           uuid NOT NULL,                       -- UUIDv7: the order of lists
  workspace_id uuid NOT NULL REFERENCES workspaces,
  type         text NOT NULL CHECK (type IN ('rate_spike', 'payload_spike')),
  key_id       uuid NOT NULL REFERENCES tenant_keys,
  key_kind     text NOT NULL CHECK (key_kind IN ('game', 'api')),
  threshold    bigint NOT NULL,
  observed     bigint NOT NULL,
  window_start timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  dispatched_at timestamptz,                        -- when mails, notifications and webhooks were sent
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON alerts (workspace_id, id DESC);

-- Written in the scope of the tenant, and read there or in the scope of its workspace.
CALL guildhall_isolate_tenant('alerts');
CREATE POLICY read_in_workspace ON alerts FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());

-- When a key last raised an alert of a type. The next alert is decided by this row.
CREATE TABLE alert_times (
  tenant_id uuid NOT NULL,
  key_id    uuid NOT NULL REFERENCES tenant_keys,
  type      text NOT NULL CHECK (type IN ('rate_spike', 'payload_spike')),
  raised_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key_id, type)
);
CALL guildhall_isolate_tenant('alert_times');

GRANT SELECT, INSERT, UPDATE, DELETE ON alerts, alert_times TO guildhall_app;
