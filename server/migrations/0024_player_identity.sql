-- Player identity: what a studio may do to players whom other studios know too, who is banned, and who may be mailed.

-- One studio must not take over the players of another. A sign-in method that was linked with a token of a workspace alone,
-- without a proof, is good in that workspace only. Null: good everywhere (docs/decisions/0035-proofs-of-identity.md).
ALTER TABLE auth_methods ADD COLUMN linked_in_workspace uuid;

-- The method by which a portal session was opened: the session is worth as much as its method.
ALTER TABLE portal_sessions ADD COLUMN auth_method_id uuid;

-- Mails to an address on behalf of a tenant within a day. The nil UUID stands for the player portal, the highest one for
-- notices about profiles. The count over all tenants stays in email_credentials: it is about strangers alone.
CREATE TABLE mail_counts (
  tenant_id uuid NOT NULL,
  email     text NOT NULL,
  since     timestamptz NOT NULL,
  sent      integer NOT NULL,
  PRIMARY KEY (tenant_id, email)
) WITH (fillfactor = 80);
CALL guildhall_isolate_tenant('mail_counts');
CREATE POLICY own_rows ON mail_counts TO guildhall_player
  USING (email IN (SELECT email FROM email_credentials WHERE player_id = guildhall_player()));
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_counts TO guildhall_app;
GRANT SELECT, INSERT, UPDATE ON mail_counts TO guildhall_player;

-- Changes of a profile are mailed in the transaction that makes them.
GRANT INSERT ON mails TO guildhall_player;

-- The identities of banned players as HMACs, so that a player who deletes the profile, or unlinks a method, does not come
-- back as somebody new. A row counts while its player is banned from the tenant.
CREATE TABLE ban_fingerprints (
  tenant_id   uuid NOT NULL,
  fingerprint bytea NOT NULL,
  player_id   uuid NOT NULL,
  PRIMARY KEY (tenant_id, fingerprint, player_id)
);
CREATE INDEX ON ban_fingerprints (player_id);
CALL guildhall_isolate_tenant('ban_fingerprints');
CREATE POLICY own_rows ON ban_fingerprints TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
GRANT SELECT, INSERT, DELETE ON ban_fingerprints TO guildhall_app;
-- A merge moves them.
GRANT SELECT, INSERT, DELETE ON ban_fingerprints TO guildhall_player;

-- What players do with their profile is written to the trail of every tenant that knows them.
CREATE POLICY write_about_oneself ON audit_records FOR INSERT TO guildhall_player
  WITH CHECK (actor_kind = 'player' AND actor_id = guildhall_player()
              AND tenant_id IN (SELECT tenant_id FROM tenant_access));

-- The platform admin reads every record, those of no tenant included.
CREATE FUNCTION guildhall_platform() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(current_setting('guildhall.platform', true) = 'on', false);
CREATE POLICY read_all ON audit_records FOR SELECT TO guildhall_app USING (guildhall_platform());
CREATE INDEX ON audit_records (action, id DESC);
CREATE INDEX ON audit_records (actor_id, id DESC);
