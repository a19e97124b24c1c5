-- The nightly job finds expired rows by these indexes, the oldest first, and deletes them in steps.
CREATE INDEX ON third_party_refresh_tokens (tenant_id, expires_at);
CREATE INDEX ON portal_refresh_tokens (expires_at);
CREATE INDEX ON store_a_portal_logins (expires_at);
