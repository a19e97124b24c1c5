-- Answers to requests with an Idempotency-Key, so that a client whose answer got lost can repeat the request
-- (docs/decisions/0041-repeated-requests.md). A record is written in the transaction of its request: after a crash there are both
-- or neither. Records are used for 24 hours, and deleted by the nightly job.
CREATE TABLE idempotency_records (
  tenant_id       uuid NOT NULL,
  caller_id       uuid NOT NULL,                    -- the player, the key or the account that sent the request
  operation       text NOT NULL,                    -- its operationId
  idempotency_key text NOT NULL,
  request_hash    bytea NOT NULL,                   -- SHA-256 of its path parameters and body
  answer          text,                             -- JSON without secrets; null while the transaction runs
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, caller_id, operation, idempotency_key),
  -- The largest answer is a new match with 1,000 players: 107,000 bytes.
  CHECK (octet_length(answer) <= 131072)
);
CREATE INDEX ON idempotency_records (tenant_id, created_at);
CALL guildhall_isolate_tenant('idempotency_records');

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_records TO guildhall_app;
