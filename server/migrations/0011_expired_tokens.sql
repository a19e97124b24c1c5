-- The nightly job finds the expired tokens of a tenant by this index, the oldest first, and deletes them in steps.
CREATE INDEX ON refresh_tokens (tenant_id, expires_at);
