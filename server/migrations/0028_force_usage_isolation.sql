-- Row-level security of the usage tables holds for their owner too. The functions that write them (migration 0018) run as the owner,
-- which therefore has a policy of its own: the server of DATABASE_URL need not let it bypass row-level security.
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
