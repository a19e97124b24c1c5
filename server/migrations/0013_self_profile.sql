-- What players do with their own profile: pictures, and sign-in methods that are linked, removed and moved.

-- The picture that we keep for the player, by its name in the storage. avatar_url may be an address elsewhere.
ALTER TABLE players ADD COLUMN avatar_name text;

-- Never two primary methods, whatever meets.
CREATE UNIQUE INDEX auth_methods_primary ON auth_methods (player_id) WHERE is_primary;

-- A deletion, a merge and a proof of an address end the sessions of the portal too.
GRANT SELECT, UPDATE ON portal_sessions TO guildhall_player;

-- A merge moves what hangs on the source. The source belongs to the target's scope as soon as it is absorbed.
DROP POLICY own_rows ON tenant_access;
CREATE POLICY own_rows ON tenant_access TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
DROP POLICY own_rows ON login_sessions;
CREATE POLICY own_rows ON login_sessions TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
DROP POLICY own_rows ON third_party_refresh_tokens;
CREATE POLICY own_rows ON third_party_refresh_tokens TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
DROP POLICY own_rows ON logout_ledger;
CREATE POLICY own_rows ON logout_ledger TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
DROP POLICY own_rows ON email_tokens;
CREATE POLICY own_rows ON email_tokens TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
CREATE POLICY own_rows ON player_bans TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
GRANT INSERT, DELETE ON tenant_access TO guildhall_player;
GRANT DELETE ON devices TO guildhall_player;
GRANT SELECT, UPDATE (player_id) ON player_bans TO guildhall_player;
