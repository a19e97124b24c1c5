-- The wallet-linked recording calls: a hash-chained ledger for each tenant, the state that follows from it
-- (docs/decisions/0031-wallet-ledger.md), and the calls of a contract that record the entries on a chain.

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
CREATE INDEX ON wallet_ledger_entries (transaction_hash, tenant_id);
CALL guildhall_isolate_tenant('wallet_ledger_entries');

-- The state that follows from the entries. `guildhall verify` derives it again.
CREATE TABLE wallet_players (
  tenant_id    uuid NOT NULL,
  player_index bigint NOT NULL,
  player_id    text COLLATE "C" NOT NULL,
  address      text COLLATE "C" NOT NULL,
  player_type  integer NOT NULL,
  is_verified  boolean NOT NULL,                    -- a wallet login has shown the address
  score        bigint NOT NULL,
  PRIMARY KEY (tenant_id, player_index),
  UNIQUE (player_id, tenant_id),
  UNIQUE (address, tenant_id)
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

-- Not part of the ledger, because a password can be deleted.
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

-- The EVM chain that wallet-linked recordings are written to, if the operator has configured one: its signers, and the
-- signed transactions on their way.

-- One row for each signer that has written to a contract. Its lock gives out the nonces, so they are in the order of the
-- commits; fees and block are what the node said last, so that signing works while it is away.
CREATE TABLE chain_writers (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain_id      bigint NOT NULL,
  contract      text NOT NULL,
  signer        text NOT NULL,
  next_nonce    bigint NOT NULL,
  base_fee      bigint NOT NULL,                    -- wei for a unit of gas
  priority_fee  bigint NOT NULL,
  head_block    bigint NOT NULL,                    -- the newest block that was seen
  problem       text,                               -- why nothing is sent, for the operator; null: all is well
  problem_since timestamptz,
  abandoned_at  timestamptz                         -- the operator abandoned its calls; the next start adds another row
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX ON chain_writers (chain_id, contract, signer) WHERE abandoned_at IS NULL;

-- A call of the contract for every batch of entries, written in the transaction that writes the entries. It holds no tenant:
-- one signer sends for all of them, in one order.
CREATE TABLE chain_outbox (
  position     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  writer_id    integer NOT NULL REFERENCES chain_writers,
  nonce        bigint NOT NULL,                     -- of the attempt that was mined, else of the newest
  created_at   timestamptz NOT NULL DEFAULT now(),
  mined_hash   bytea,                               -- the attempt that the chain took, as far as is known
  block_number bigint,
  block_hash   bytea,                               -- another one at that number: the chain has thought better of it
  confirmed_at timestamptz,
  abandoned_at timestamptz                          -- given up by the operator
);
CREATE INDEX chain_outbox_open ON chain_outbox (writer_id, position)
  WHERE confirmed_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX ON chain_outbox (writer_id, nonce);

-- The transactions of a call. A call usually has one. It gets another one if the fees were raised or another program used its
-- nonce. All rows stay, because a client may know any of the hashes.
CREATE TABLE chain_attempts (
  hash         bytea PRIMARY KEY,
  position     bigint NOT NULL REFERENCES chain_outbox,
  number       integer NOT NULL,                    -- 1 is the one whose hash was answered
  nonce        bigint NOT NULL,
  max_fee      bigint NOT NULL,
  priority_fee bigint NOT NULL,
  signed       bytea NOT NULL,
  UNIQUE (position, number)
);

-- The newest entry of a tenant's ledger that was handed to a contract.
CREATE TABLE chain_heads (
  tenant_id   uuid NOT NULL,
  chain_id    bigint NOT NULL,
  contract    text NOT NULL,
  entry_index bigint NOT NULL,
  PRIMARY KEY (tenant_id, chain_id, contract)
) WITH (fillfactor = 50);
CALL guildhall_isolate_tenant('chain_heads');

-- Whether the chain knows a player's record as it is now.
CREATE INDEX wallet_ledger_entries_changes ON wallet_ledger_entries (tenant_id, player_index, entry_index)
  WHERE kind IN ('player.added', 'player.scored');

GRANT SELECT, INSERT, UPDATE ON chain_writers, chain_outbox TO guildhall_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON chain_heads TO guildhall_app;
GRANT SELECT, INSERT ON chain_attempts TO guildhall_app;
