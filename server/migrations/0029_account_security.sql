-- Dashboard accounts: verified addresses, mailed tokens, a second factor, and sessions that their owner can recognise.

ALTER TABLE accounts ADD COLUMN email_verified_at timestamptz; -- null: nobody has shown that they read its mail

ALTER TABLE account_sessions
  ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now(),  -- when it was opened or refreshed last
  ADD COLUMN ip_address   inet,                                -- from where that was
  ADD COLUMN user_agent   text;                                -- at most 256 characters

-- What an account is given to prove something once: a mailed token that verifies the address or sets a new password, or the
-- token of a login that waits for the second factor. A used one is kept until it expires, because the mails are counted.
CREATE TABLE account_tokens (
  token_hash bytea PRIMARY KEY,                     -- HMAC-SHA256
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  purpose    text NOT NULL CHECK (purpose IN ('verify', 'reset', 'mfa')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- used, or ended by a new password
);
CREATE INDEX ON account_tokens (account_id, purpose);

-- The second factor (TOTP, RFC 6238).
CREATE TABLE account_totp (
  account_id   uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  secret       bytea NOT NULL,                      -- sealed with the master key
  created_at   timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz,                         -- null: no login asks for it yet
  last_step    bigint NOT NULL DEFAULT 0            -- the time step of the newest code that was used
);

-- A code is deleted when it is used.
CREATE TABLE account_recovery_codes (
  account_id uuid NOT NULL REFERENCES account_totp ON DELETE CASCADE,
  code_hash  bytea NOT NULL,                        -- HMAC-SHA256
  PRIMARY KEY (account_id, code_hash)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON account_tokens, account_totp, account_recovery_codes TO guildhall_app;
