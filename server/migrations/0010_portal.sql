-- The player portal: a person signs in as themselves, not as the player of a tenant. So all of it stands outside of the
-- wall, as players and their sign-in methods do.

-- The family of a session's refresh tokens, and the lock under which they are exchanged and revoked.
CREATE TABLE portal_sessions (
  id         uuid PRIMARY KEY,
  player_id  uuid NOT NULL REFERENCES players,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz                            -- logout, or reuse of a refresh token
);
CREATE INDEX ON portal_sessions (player_id);        -- to end all sessions of a player

CREATE TABLE portal_refresh_tokens (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES portal_sessions ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- kept after use, to notice a second one
);
CREATE INDEX ON portal_refresh_tokens (session_id);

-- Sign-ins at StoreA that were started. Each is finished once: that writes down the nonce of the store's answer, which no
-- other may bring again.
CREATE TABLE store_a_portal_logins (
  state_hash     bytea PRIMARY KEY,
  expires_at     timestamptz NOT NULL,
  response_nonce text UNIQUE                        -- null: not finished
);

GRANT SELECT, INSERT, UPDATE, DELETE ON portal_sessions, portal_refresh_tokens, store_a_portal_logins TO guildhall_app;
