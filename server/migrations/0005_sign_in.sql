-- Sessions and tokens of players, the login and logout ledgers, and what each way to sign in stores.

-- The session state: one row for each session. Its lock orders refresh, logout, ban and block. It has no foreign keys, and
-- neither have the ledgers and events: the statement that writes a row has just read its parents, and no parent is ever deleted.
CREATE TABLE login_sessions (
  tenant_id         uuid NOT NULL,
  session_id        uuid NOT NULL,
  player_id         uuid NOT NULL,
  started_at        timestamptz NOT NULL,
  ended_at          timestamptz,
  end_reason        text,                           -- as in the logout ledger, which has no index by session
  last_seen_at      timestamptz NOT NULL,
  auth_provider     text NOT NULL,
  auth_method_id    uuid,                           -- how it was opened: it ends when the method is removed
  device_id         uuid,
  platform          text NOT NULL,
  client_version    text,
  last_ip_address   inet,
  key_salt          bytea,                          -- the key of the personal data in the ledgers follows from it; null: erased
  tokens_revoked_at timestamptz,                    -- from here on no refresh token of the session works
  suspended_at      timestamptz,                    -- ended by a ban: the access token cannot change how the player signs in
  updated_at_db     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, session_id),
  CHECK ((ended_at IS NULL) = (end_reason IS NULL))
) WITH (fillfactor = 90);
CREATE INDEX ON login_sessions (player_id, tenant_id, last_seen_at);
CALL guildhall_isolate_tenant('login_sessions');
CREATE POLICY own_rows ON login_sessions TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- Every refresh token of a session until it expires. A used token stays, so that a second use is detected.
CREATE TABLE refresh_tokens (
  tenant_id  uuid NOT NULL,
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (tenant_id, token_hash)
) WITH (fillfactor = 90);
CALL guildhall_isolate_tenant('refresh_tokens');

-- The refresh tokens of third parties. The holder gets assertions about a player, for one audience, as long as the session of the
-- player lasts. A token keeps what the assertions say of the player from the time of the first one. The row of the session is the
-- lock, and a used token stays until it expires, so that a second use is detected. A second use ends the family: all tokens that
-- follow from one exchange.
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
CALL guildhall_isolate_tenant('third_party_refresh_tokens');
CREATE POLICY own_rows ON third_party_refresh_tokens TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The ledgers are append-only, so a deletion cannot change their rows. It destroys the keys of what is personal in them
-- (docs/decisions/0055-erasable-ledgers.md).
CREATE TABLE login_ledger (
  tenant_id      uuid NOT NULL,
  id             uuid NOT NULL,
  session_id     uuid NOT NULL,
  player_id      uuid NOT NULL,
  auth_method_id uuid,
  auth_provider  text NOT NULL,
  device_id      uuid,
  platform       text NOT NULL,
  client_version text,
  client_build   text,
  occurred_at    timestamptz NOT NULL,
  created_at_gl  timestamptz NOT NULL,
  received_at_db timestamptz NOT NULL DEFAULT clock_timestamp(),
  personal_data  bytea NOT NULL,                    -- ip_address and metadata, sealed with the key of the session
  row_hash       bytea NOT NULL,
  PRIMARY KEY (tenant_id, received_at_db, id)
) PARTITION BY RANGE (received_at_db);
-- Holds all that is needed to count the logins of a player, and to read a page of them for one tenant: 50,000 logins are counted
-- without a look at their rows.
CREATE INDEX login_ledger_of_player ON login_ledger (player_id, received_at_db, id) INCLUDE (tenant_id, platform);
CREATE TABLE login_ledger_default PARTITION OF login_ledger DEFAULT;
CALL guildhall_isolate_tenant('login_ledger');
CREATE POLICY own_rows ON login_ledger TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

CREATE TABLE logout_ledger (
  tenant_id      uuid NOT NULL,
  id             uuid NOT NULL,
  session_id     uuid NOT NULL,
  player_id      uuid NOT NULL,
  reason         text NOT NULL,
  message        text,
  occurred_at    timestamptz NOT NULL,
  created_at_gl  timestamptz NOT NULL,
  received_at_db timestamptz NOT NULL DEFAULT clock_timestamp(),
  personal_data  bytea,                             -- metadata, sealed with the key of the session; null: none
  PRIMARY KEY (tenant_id, received_at_db, id)
) PARTITION BY RANGE (received_at_db);
CREATE INDEX ON logout_ledger (player_id, received_at_db, id);
CREATE TABLE logout_ledger_default PARTITION OF logout_ledger DEFAULT;
CALL guildhall_isolate_tenant('logout_ledger');
CREATE POLICY own_rows ON logout_ledger TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The ledgers counted by hours, days and months of received_at_db in UTC. A row is written once, when its hour, day or month is over
-- and no transaction can add to it. It never changes (docs/decisions/0018-session-rollups.md).
CREATE TABLE session_rollups (
  tenant_id        uuid PRIMARY KEY REFERENCES tenants,
  rolled_up_to     timestamptz NOT NULL DEFAULT '-infinity',   -- an hour: everything before it is counted, nothing after it is
  numbered_players integer NOT NULL DEFAULT 0
);
CALL guildhall_isolate_tenant('session_rollups');

CREATE TABLE login_rollups (
  tenant_id     uuid NOT NULL,
  span          text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at     timestamptz NOT NULL,
  platform      text NOT NULL,
  auth_provider text NOT NULL,
  logins        bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at, platform, auth_provider)
);
CALL guildhall_isolate_tenant('login_rollups');

CREATE TABLE logout_rollups (
  tenant_id uuid NOT NULL,
  span      text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at timestamptz NOT NULL,
  logouts   bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at)
);
CALL guildhall_isolate_tenant('logout_rollups');

-- One bit for each player who signed in: so the distinct players of any range are counted exactly, by OR. A page holds the players
-- with the numbers from 4,096 × page. Pages without players have no row. 4,096 bits stay below the size that PostgreSQL moves out
-- of the row.
CREATE TABLE player_rollups (
  tenant_id uuid NOT NULL,
  span      text NOT NULL CHECK (span IN ('hour', 'day', 'month')),
  starts_at timestamptz NOT NULL,
  page      integer NOT NULL,
  players   bit(4096) NOT NULL,
  PRIMARY KEY (tenant_id, span, starts_at, page)
);
CALL guildhall_isolate_tenant('player_rollups');

-- The place of a player in those bits: 0, 1, 2 … within a tenant, in the order of their first logins.
CREATE TABLE player_numbers (
  tenant_id uuid NOT NULL,
  player_id uuid NOT NULL,
  number    integer NOT NULL,
  PRIMARY KEY (tenant_id, player_id)
);
CALL guildhall_isolate_tenant('player_numbers');

-- An address and its player, in all tenants. Its row is the lock under which sign-ins with the address, and proofs of it, take
-- turns. An address that leaves its player becomes pending, so that the count of mails stays.
CREATE TABLE email_credentials (
  email         text PRIMARY KEY,                   -- normalised: trimmed and lower-case
  player_id     uuid REFERENCES players DEFERRABLE INITIALLY DEFERRED, -- null: pending, a code was sent and not used yet
  password_hash text,                               -- argon2id, PHC string; null: no password
  verified_at   timestamptz,                        -- null: nobody has shown that they read its mail
  mails_since   timestamptz NOT NULL,               -- mails of strangers to it are counted over all tenants
  mails_sent    integer NOT NULL,
  CHECK (player_id IS NOT NULL OR (password_hash IS NULL AND verified_at IS NULL))
);
CREATE INDEX ON email_credentials (player_id) WHERE player_id IS NOT NULL;
-- A sign-in finds an address before the player is known, so guildhall_app sees all rows. A player also sees addresses that belong to
-- nobody yet, to take one with a code.
CALL guildhall_isolate('email_credentials', 'true');
CREATE POLICY own_rows ON email_credentials TO guildhall_player
  USING (player_id IS NULL OR player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- Locks the addresses of players until the transaction ends, in the order of the addresses.
CREATE FUNCTION guildhall_lock_credentials(players uuid[]) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT email FROM email_credentials WHERE player_id = ANY(players) ORDER BY email FOR UPDATE
$$;

-- Mails to an address on behalf of a tenant within a day. The nil UUID stands for the player portal.
CREATE TABLE mail_counts (
  tenant_id uuid NOT NULL,
  email     text NOT NULL,
  since     timestamptz NOT NULL,
  sent      integer NOT NULL,
  PRIMARY KEY (tenant_id, email)
) WITH (fillfactor = 80);
CALL guildhall_isolate_tenant('mail_counts');

-- The one live code of an address in a tenant, or (nil UUID) in the player portal. A used code is deleted.
CREATE TABLE one_time_codes (
  tenant_id  uuid NOT NULL,
  email      text NOT NULL,
  id         uuid NOT NULL,                         -- names the code in a sign-in challenge
  -- HMAC, bound to the tenant and the address. The worker makes a portal code once it has seen that the address may have one: null
  -- until then, and for ever if it may not.
  code_hash  bytea,
  tries      integer NOT NULL DEFAULT 0,
  sent_at    timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, email),
  UNIQUE (id, tenant_id)
);
CALL guildhall_isolate_tenant('one_time_codes');
CREATE POLICY own_rows ON one_time_codes TO guildhall_player
  USING (email IN (SELECT email FROM email_credentials WHERE player_id = guildhall_player()));

-- Mailed tokens that verify an address or set a new password. A used token is deleted.
CREATE TABLE email_tokens (
  tenant_id  uuid NOT NULL,
  token_hash bytea NOT NULL,
  purpose    text NOT NULL CHECK (purpose IN ('verify', 'reset')),
  email      text NOT NULL,
  player_id  uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, token_hash)
);
CREATE INDEX ON email_tokens (player_id);
CALL guildhall_isolate_tenant('email_tokens');
CREATE POLICY own_rows ON email_tokens TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The messages that wallets are asked to sign. A challenge is deleted when it is used, and in the night after it has expired. So no
-- challenge can be used twice.
CREATE TABLE wallet_challenges (
  tenant_id  uuid NOT NULL,
  id         uuid NOT NULL,
  nonce      text NOT NULL,
  address    text NOT NULL,                         -- with the checksum of EIP-55
  chain_id   bigint NOT NULL,
  message    text NOT NULL,                         -- EIP-4361, as it was issued
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (nonce, tenant_id)
);
CALL guildhall_isolate_tenant('wallet_challenges');

-- The player portal: a person signs in as themselves, not as the player of a tenant. A session is the family of its refresh tokens,
-- and the lock under which they are exchanged and revoked.
CREATE TABLE portal_sessions (
  id             uuid PRIMARY KEY,
  player_id      uuid NOT NULL REFERENCES players,
  auth_method_id uuid,                              -- how it was opened: the session may do what its method may
  created_at     timestamptz NOT NULL DEFAULT now(),
  revoked_at     timestamptz,                       -- logout, removal of the method, or reuse of a refresh token
  has_logged_out boolean NOT NULL DEFAULT false     -- revoked by a logout alone, so the access token still reads
);
CREATE INDEX ON portal_sessions (player_id);        -- to end all sessions of a player

CREATE TABLE portal_refresh_tokens (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES portal_sessions ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- kept after use, to detect a second use
);
CREATE INDEX ON portal_refresh_tokens (session_id);

-- Sign-ins at StoreA that were started. Each is finished once. That stores the nonce of the answer of the store, so that no other
-- answer can use it again.
CREATE TABLE store_a_portal_logins (
  state_hash     bytea PRIMARY KEY,
  expires_at     timestamptz NOT NULL,
  response_nonce text UNIQUE                        -- null: not finished
);

-- Portal sessions: those of one person. A sign-in opens one before a scope is known, and reads nothing back.
CALL guildhall_isolate('portal_sessions', 'player_id = guildhall_player() OR guildhall_platform()');

CREATE POLICY open ON portal_sessions FOR INSERT TO guildhall_app WITH CHECK (true);

CREATE POLICY own_rows ON portal_sessions TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

CALL guildhall_isolate('portal_refresh_tokens',
  'guildhall_platform() OR EXISTS (SELECT FROM portal_sessions session WHERE session.id = session_id OFFSET 0)');

CREATE POLICY issue ON portal_refresh_tokens FOR INSERT TO guildhall_app WITH CHECK (true);

CREATE POLICY own_rows ON portal_refresh_tokens TO guildhall_player
  USING (EXISTS (SELECT FROM portal_sessions session WHERE session.id = session_id OFFSET 0));

-- The session that a refresh token was issued for, whether or not it still works.
CREATE FUNCTION guildhall_find_portal_session(wanted_hash bytea) RETURNS TABLE ("sessionId" uuid, "ownerId" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT session.id, session.player_id
  FROM portal_refresh_tokens token JOIN portal_sessions session ON session.id = token.session_id
  WHERE token.token_hash = wanted_hash
$$;
REVOKE EXECUTE ON FUNCTION guildhall_lock_credentials FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_lock_credentials TO guildhall_player;
REVOKE EXECUTE ON FUNCTION guildhall_find_portal_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_portal_session TO guildhall_app;

GRANT SELECT, INSERT, UPDATE, DELETE ON login_sessions, refresh_tokens, third_party_refresh_tokens, session_rollups,
  email_credentials, mail_counts, one_time_codes, email_tokens, portal_sessions, portal_refresh_tokens, store_a_portal_logins
  TO guildhall_app;
GRANT SELECT, INSERT, DELETE ON wallet_challenges TO guildhall_app;
GRANT SELECT, INSERT ON login_ledger, logout_ledger, login_rollups, logout_rollups, player_rollups, player_numbers
  TO guildhall_app;

GRANT SELECT ON login_ledger TO guildhall_player;
-- A player who blocks a device ends its sessions.
GRANT SELECT, INSERT ON logout_ledger TO guildhall_player;
GRANT SELECT, UPDATE ON login_sessions TO guildhall_player;
-- A player who deletes the profile takes name and address out of the tokens of third parties.
GRANT SELECT, UPDATE ON third_party_refresh_tokens TO guildhall_player;
-- A proof of an address ends credentials, codes, tokens and portal sessions in all tenants. So does a deletion or a merge.
GRANT SELECT, UPDATE, DELETE ON email_credentials TO guildhall_player;
GRANT SELECT, DELETE ON one_time_codes, email_tokens TO guildhall_player;
GRANT SELECT, UPDATE ON portal_sessions TO guildhall_player;
GRANT SELECT, INSERT, UPDATE ON portal_refresh_tokens TO guildhall_player;
