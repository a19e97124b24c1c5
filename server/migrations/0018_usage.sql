-- Usage: what every workspace is billed, to the unit, and the hard stop of plans (docs/decisions/0028-usage-metering.md).
--
-- A writing transaction adds one row to usage_entries, which has neither an index nor a row that others write; a fold moves
-- the rows into daily totals, in one statement. What is used is the sum of both in one snapshot: exact at any moment.

-- Not folded yet. The day is that of `at`, in UTC.
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

-- What a hard stop still lets in, dealt out to sixteen slots: a transaction takes its units from one of them, so that those of a
-- workspace do not queue for one row. Without rows nobody has dealt out yet. They are there for plans with a hard stop only.
CREATE TABLE usage_allowances (
  workspace_id uuid NOT NULL,
  slot         integer NOT NULL,
  period_start date NOT NULL,
  units_left   bigint NOT NULL,
  PRIMARY KEY (workspace_id, slot)
) WITH (fillfactor = 50);

-- Who was told, once for a period and plan, that so many per cent of its units are used.
CREATE TABLE usage_warnings (
  workspace_id  uuid NOT NULL REFERENCES workspaces,
  period_start  date NOT NULL,
  monthly_units bigint NOT NULL,
  percent       integer NOT NULL,
  used          bigint NOT NULL,
  warned_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, period_start, monthly_units, percent)
);
GRANT SELECT, INSERT ON usage_warnings TO guildhall_app;

-- Entries and totals are a workspace's and not a tenant's, so the wall is another one, for reading only: everything is
-- written by the functions below, which act as the owner.
ALTER TABLE usage_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_own ON usage_entries FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());
CREATE POLICY read_own ON usage_totals FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());
GRANT SELECT ON usage_entries, usage_totals TO guildhall_app;

-- The first day of the billing period of the running transaction: of the calendar month in UTC.
CREATE FUNCTION guildhall_period() RETURNS date LANGUAGE sql STABLE
  RETURN date_trunc('month', now() AT TIME ZONE 'UTC')::date;

-- Two sides take this lock: who charges without taking from the slots shares it, and who deals the slots out has it alone.
CREATE FUNCTION guildhall_usage_lock(workspace uuid) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN hashtext(workspace::text);

-- Takes units out of what a hard stop still lets in where no single slot holds as many: all slots are summed up, or, where there are
-- none of this period, counted from what is used; then what is left is dealt out anew. Under a lock of the workspace, which
-- everybody needs who comes near the limit: there, and there alone, they queue.
CREATE PROCEDURE guildhall_allocate_units(workspace uuid, period date, charged bigint) LANGUAGE plpgsql AS $$
DECLARE
  allowed bigint;
  left_over bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7118, guildhall_usage_lock(workspace));
  -- Each of the following statements sees all that was committed before the lock was had.
  SELECT monthly_units INTO allowed FROM workspaces WHERE id = workspace AND hard_stop;
  IF allowed IS NULL THEN RETURN; END IF;
  -- Waits for those who have taken from a slot and not committed yet.
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

-- Charges units for what the running transaction has written: the last thing that it does, so that nobody waits for the locks
-- long, or in a circle. Refuses (GH002) what would pass a hard stop.
CREATE PROCEDURE guildhall_charge_units(workspace uuid, tenant uuid, key uuid, charged bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  period date;
BEGIN
  IF charged = 0 THEN RETURN; END IF;
  IF (SELECT hard_stop AND monthly_units IS NOT NULL FROM workspaces WHERE id = workspace) THEN
    period := guildhall_period();
    UPDATE usage_allowances SET units_left = units_left - charged
    WHERE workspace_id = workspace AND slot = pg_backend_pid() % 16 AND period_start = period AND units_left >= charged;
    IF NOT FOUND THEN CALL guildhall_allocate_units(workspace, period, charged); END IF;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(7118, guildhall_usage_lock(workspace));
    -- There are slots only where the plan got a hard stop while this waited.
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

-- Writes down what was let in before, and refuses nothing: reads, and the bytes of all requests.
CREATE FUNCTION guildhall_record_usage(
  workspaces uuid[], tenants uuid[], keys uuid[], counts bigint[], received bigint[], sent bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  payer uuid;
  charged bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7118, lock)
  FROM (SELECT DISTINCT guildhall_usage_lock(workspace) AS lock FROM unnest(workspaces) AS workspace ORDER BY 1) locks;
  -- One after the other, so that two of these take the slots in the same order.
  FOR payer, charged IN
    SELECT workspace, sum(units) FROM unnest(workspaces, counts) AS entry (workspace, units)
    WHERE workspace IN (SELECT workspace_id FROM usage_allowances)
    GROUP BY workspace HAVING sum(units) > 0 ORDER BY workspace
  LOOP
    UPDATE usage_allowances SET units_left = units_left - charged
    WHERE workspace_id = payer AND slot = pg_backend_pid() % 16 AND units_left >= charged;
    -- Where the slot holds too little the others would let in what is used: so all go, and are dealt out anew when needed.
    IF NOT FOUND THEN DELETE FROM usage_allowances WHERE workspace_id = payer; END IF;
  END LOOP;
  INSERT INTO usage_entries (workspace_id, tenant_id, key_id, units, bytes_in, bytes_out)
  SELECT * FROM unnest(workspaces, tenants, keys, counts, received, sent);
END $$;

-- Moves all entries into the daily totals, and returns what the workspaces that were charged have used in the running period. One
-- process at a time: another finds nothing to do.
CREATE FUNCTION guildhall_aggregate_usage() RETURNS TABLE (workspace uuid, used bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  charged uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(7118018) THEN RETURN; END IF;
  WITH entry AS (DELETE FROM usage_entries RETURNING *),
  folded AS (
    INSERT INTO usage_totals AS total (workspace_id, day, tenant_id, key_id, units, bytes_in, bytes_out)
    SELECT workspace_id, (at AT TIME ZONE 'UTC')::date, tenant_id, key_id, sum(units), sum(bytes_in), sum(bytes_out)
    FROM entry GROUP BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, day, tenant_id, key_id) DO UPDATE SET
      units = total.units + excluded.units, bytes_in = total.bytes_in + excluded.bytes_in,
      bytes_out = total.bytes_out + excluded.bytes_out)
  SELECT array_agg(DISTINCT workspace_id) INTO charged FROM entry WHERE units > 0;
  RETURN QUERY
    SELECT total.workspace_id, sum(total.units)::bigint FROM usage_totals total
    WHERE total.workspace_id = ANY(charged) AND total.day >= guildhall_period()
    GROUP BY total.workspace_id;
END $$;

-- With another limit the slots are dealt out anew. The lock keeps whoever deals them out from doing so by the old one.
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
-- A player's scope charges for what it writes on a key: a password that is set anew.
GRANT EXECUTE ON PROCEDURE guildhall_charge_units TO guildhall_app, guildhall_player, guildhall_event_writer;
GRANT EXECUTE ON FUNCTION guildhall_charge TO guildhall_app;
GRANT EXECUTE ON FUNCTION guildhall_record_usage, guildhall_aggregate_usage TO guildhall_app;
