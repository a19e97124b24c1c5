-- The wallet-linked recording calls: a hash-chained ledger per tenant, and the state that follows from it (decision 0031).

-- The head of a tenant's chain. Its row is the lock under which entries are made, so they and all numbers below have no gaps.
CREATE TABLE wallet_ledgers (
  tenant_id    uuid PRIMARY KEY REFERENCES tenants,
  entries      bigint NOT NULL DEFAULT 0,           -- the index of the last entry
  hash         bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  players      bigint NOT NULL DEFAULT 0,           -- the number given last, of each kind
  sessions     bigint NOT NULL DEFAULT 0,
  matches      bigint NOT NULL DEFAULT 0,
  records      bigint NOT NULL DEFAULT 0,
  play_data    bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
CALL guildhall_isolate_tenant('wallet_ledgers');

-- The entries, each with the hash of the one before. The content is text, not jsonb: the hash is of its bytes.
CREATE TABLE wallet_ledger_entries (
  tenant_id        uuid NOT NULL,
  entry_index      bigint NOT NULL CHECK (entry_index BETWEEN 1 AND 9007199254740991),
  recorded_at      timestamptz NOT NULL,
  kind             text NOT NULL,
  player_index     bigint NOT NULL CHECK (player_index BETWEEN 1 AND 9007199254740991), -- whom it is about
  body             text NOT NULL,
  salt             bytea NOT NULL,                  -- keeps the content from being guessed by its hash
  content_hash     bytea NOT NULL,
  previous_hash    bytea NOT NULL,
  hash             bytea NOT NULL,
  transaction_hash bytea NOT NULL,
  PRIMARY KEY (tenant_id, entry_index)
);
CREATE INDEX ON wallet_ledger_entries (tenant_id, transaction_hash);
CALL guildhall_isolate_tenant('wallet_ledger_entries');

-- What follows from the entries: `guildhall verify` derives it again.
CREATE TABLE wallet_players (
  tenant_id    uuid NOT NULL,
  player_index bigint NOT NULL,
  player_id    text COLLATE "C" NOT NULL,
  address      text COLLATE "C" NOT NULL,
  player_type  integer NOT NULL,
  is_verified  boolean NOT NULL,                    -- a wallet login has shown the address
  score        bigint NOT NULL,
  PRIMARY KEY (tenant_id, player_index),
  UNIQUE (tenant_id, player_id),
  UNIQUE (tenant_id, address)
) WITH (fillfactor = 80);
CALL guildhall_isolate_tenant('wallet_players');

CREATE TABLE wallet_sessions (
  tenant_id    uuid NOT NULL,
  session_id   bigint NOT NULL,
  player_index bigint NOT NULL,
  start_time   bigint NOT NULL,                     -- Unix seconds, as the game says it
  end_time     bigint,
  PRIMARY KEY (tenant_id, session_id)
) WITH (fillfactor = 80);
CALL guildhall_isolate_tenant('wallet_sessions');

CREATE TABLE wallet_matches (
  tenant_id        uuid NOT NULL,
  match_session_id bigint NOT NULL,
  player_index     bigint NOT NULL,
  play_data_id     bigint,                          -- set when the player's part ends
  is_ended         boolean NOT NULL,
  PRIMARY KEY (tenant_id, match_session_id)
) WITH (fillfactor = 80);
CALL guildhall_isolate_tenant('wallet_matches');

-- No part of the ledger: a password must be able to go.
CREATE TABLE wallet_passwords (
  tenant_id     uuid NOT NULL,
  player_index  bigint NOT NULL,
  password_hash text NOT NULL,                      -- argon2id
  PRIMARY KEY (tenant_id, player_index)
);
CALL guildhall_isolate_tenant('wallet_passwords');

GRANT SELECT, INSERT, UPDATE ON wallet_ledgers, wallet_players, wallet_sessions, wallet_matches TO guildhall_app;
GRANT SELECT, INSERT ON wallet_ledger_entries TO guildhall_app;
GRANT SELECT, INSERT, DELETE ON wallet_passwords TO guildhall_app;
