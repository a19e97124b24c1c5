-- Payers of API keys, and charging near a hard stop (docs/decisions/0037-payer-agreements.md).

-- Who agreed, for the paying workspace, that it is billed for the reads of a key, and when. An agreement ends together with
-- subscriber_workspace_id. Payers that were named before this migration agreed to nothing, so they pay no more.
UPDATE tenant_keys SET subscriber_workspace_id = NULL WHERE subscriber_workspace_id IS NOT NULL;
ALTER TABLE tenant_keys
  ADD COLUMN subscriber_agreed_by uuid REFERENCES accounts,
  ADD COLUMN subscriber_agreed_at timestamptz,
  ADD CONSTRAINT subscriber_agreed CHECK (
    (subscriber_workspace_id IS NULL) = (subscriber_agreed_by IS NULL)
    AND (subscriber_workspace_id IS NULL) = (subscriber_agreed_at IS NULL));
CREATE INDEX tenant_keys_subscriber ON tenant_keys (subscriber_workspace_id, subscriber_agreed_at)
  WHERE subscriber_workspace_id IS NOT NULL;

-- Charges units for what the running transaction has written, as in migration 0018, without its deadlocks. A statement that
-- waited for a slot and then found too few units kept the lock of that slot. It then waited for the lock of the workspace,
-- whose holder waited for the slot: PostgreSQL ended one of the two after a second (20 parallel sign-ins took 1.0 to 2.2 s
-- instead of 0.04 s). Now the statement takes the units from any slot that no other transaction holds, so it never waits
-- there. The exception block is a subtransaction: it gives up a slot that was locked in vain before the workspace is locked.
CREATE OR REPLACE PROCEDURE guildhall_charge_units(workspace uuid, tenant uuid, key uuid, charged bigint)
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
