-- The refresh tokens of third parties: who holds one gets assertions about a player, for one audience, as long as the
-- player's session lasts. They keep what the assertions say of the player as it stood when the first one was made. As with
-- the players' own, the row of the session is the lock, and a used token stays until it expires, so that its second use is
-- noticed; that ends its family, which is all tokens that follow from one exchange.
CREATE TABLE third_party_refresh_tokens (
  tenant_id    uuid NOT NULL,
  token_hash   bytea NOT NULL,
  family_id    uuid NOT NULL,
  session_id   uuid NOT NULL,
  player_id    uuid NOT NULL,
  audience     text NOT NULL,
  display_name text,
  email        text,
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz,
  revoked_at   timestamptz,                         -- the family leaked
  PRIMARY KEY (tenant_id, token_hash)
) WITH (fillfactor = 90);
CREATE INDEX ON third_party_refresh_tokens (tenant_id, family_id);
CREATE INDEX ON third_party_refresh_tokens (player_id);
CALL guildhall_isolate_tenant('third_party_refresh_tokens', player_too => true);

GRANT SELECT, INSERT, UPDATE, DELETE ON third_party_refresh_tokens TO guildhall_app;
-- Who deletes their profile takes name and address out of what third parties hold.
GRANT SELECT, UPDATE ON third_party_refresh_tokens TO guildhall_player;
