-- The nightly job finds expired rows by these indexes, the oldest first, and deletes them in steps.
CREATE INDEX ON account_refresh_tokens (expires_at);
CREATE INDEX ON account_tokens (expires_at);

-- A login ends the sessions over the limit, and the console lists sessions. Both read only those that have not ended.
CREATE INDEX ON account_sessions (account_id, last_used_at DESC, id DESC) WHERE revoked_at IS NULL;
-- Last, because it stops the reads of the table too.
DROP INDEX account_sessions_account_id_idx;
