-- Sign-in by e-mail: by one-time code, and by password.

-- An address, and whose it is. One person has one profile over all tenants, so it stands outside of the wall. Its row is the
-- lock under which sign-ins with the address, and proofs of it, take turns.
CREATE TABLE email_credentials (
  email         text PRIMARY KEY,                   -- normalised: trimmed and lower-case
  player_id     uuid REFERENCES players DEFERRABLE INITIALLY DEFERRED, -- null: pending, a code was sent, and not yet used
  password_hash text,                               -- argon2id, PHC string; null: no password
  verified_at   timestamptz,                        -- null: nobody has shown that they read its mail
  mails_since   timestamptz NOT NULL,               -- mails to it are counted, over all tenants
  mails_sent    integer NOT NULL,
  CHECK (player_id IS NOT NULL OR (password_hash IS NULL AND verified_at IS NULL))
);
CREATE INDEX ON email_credentials (player_id) WHERE player_id IS NOT NULL;

-- The one live code of an address in a tenant. Used, it is deleted.
CREATE TABLE one_time_codes (
  tenant_id  uuid NOT NULL,
  email      text NOT NULL,
  id         uuid NOT NULL,
  code_hash  bytea NOT NULL,                        -- HMAC, bound to the tenant and the address
  tries      integer NOT NULL DEFAULT 0,
  sent_at    timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, email)
);
CALL guildhall_isolate_tenant('one_time_codes');
CREATE POLICY own_rows ON one_time_codes TO guildhall_player
  USING (email IN (SELECT email FROM email_credentials WHERE player_id = guildhall_player()));

-- What is mailed to verify an address, or to set a new password. Used, it is deleted.
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
CALL guildhall_isolate_tenant('email_tokens', player_too => true);

GRANT SELECT, INSERT, UPDATE, DELETE ON email_credentials, one_time_codes, email_tokens TO guildhall_app;
-- What a proof of an address ends, it ends in all tenants.
GRANT SELECT, UPDATE, DELETE ON email_credentials TO guildhall_player;
GRANT SELECT, DELETE ON one_time_codes, email_tokens TO guildhall_player;
GRANT INSERT, DELETE ON auth_methods TO guildhall_player;
