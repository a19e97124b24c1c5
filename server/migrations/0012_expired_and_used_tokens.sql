-- The nightly job finds expired rows by these indexes, the oldest first, and deletes them in steps.
CREATE INDEX ON third_party_refresh_tokens (tenant_id, expires_at);
CREATE INDEX ON portal_refresh_tokens (expires_at);
CREATE INDEX ON store_a_portal_logins (expires_at);

-- A third party can leave any number of used tokens of a player, and no request changes or returns them. A family has one unused token.
DROP INDEX third_party_refresh_tokens_tenant_id_family_id_idx, third_party_refresh_tokens_player_id_idx;
CREATE INDEX ON third_party_refresh_tokens (player_id, tenant_id, family_id) WHERE used_at IS NULL;
