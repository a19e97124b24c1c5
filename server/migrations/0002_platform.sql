-- What belongs to the whole deployment: signing keys, the audit trail, and the answers to repeated requests.

-- The keys that sign tokens. The newest active key signs. All keys that have not retired are published.
CREATE TABLE signing_keys (
  kid          text PRIMARY KEY,
  public_jwk   jsonb NOT NULL,
  private_jwk  bytea NOT NULL,                      -- JSON, sealed with the master key
  active_from  timestamptz NOT NULL,
  retires_at   timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_keys TO guildhall_app;
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON signing_keys
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('kid');

-- Who did what to what. Append-only.
CREATE TABLE audit_records (
  id           uuid PRIMARY KEY,
  occurred_at  timestamptz NOT NULL DEFAULT now(),
  workspace_id uuid,
  tenant_id    uuid,                                -- null: not about one tenant
  actor_kind   text NOT NULL CHECK (actor_kind IN ('account', 'player', 'key', 'system')),
  actor_id     uuid,
  action       text NOT NULL,                       -- event_definition.created, player.self_deleted, …
  target_id    text,
  details      jsonb NOT NULL DEFAULT '{}',         -- before and after, source, …
  ip_address   inet,
  request_id   text
);
-- Each search returns the newest first: by place, and by action, actor or target.
CREATE INDEX ON audit_records (tenant_id, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (tenant_id, action, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (tenant_id, actor_id, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, action, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, actor_id, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX ON audit_records (target_id, id DESC);
CREATE INDEX ON audit_records (action, id DESC);
CREATE INDEX ON audit_records (actor_id, id DESC);

-- A record about a tenant is written in the scope of that tenant, and read there or in the scope of its workspace. A record
-- about no tenant may be written in any scope. The platform admin reads every record.
ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;
CREATE POLICY read_own ON audit_records FOR SELECT TO guildhall_app
  USING (tenant_id = guildhall_tenant() OR workspace_id = guildhall_workspace());
CREATE POLICY read_all ON audit_records FOR SELECT TO guildhall_app USING (guildhall_platform());
CREATE POLICY write_own ON audit_records FOR INSERT TO guildhall_app
  WITH CHECK (tenant_id IS NULL OR tenant_id = guildhall_tenant());
GRANT SELECT, INSERT ON audit_records TO guildhall_app;

-- Answers to requests with an Idempotency-Key, so that a client whose answer got lost can repeat the request
-- (docs/decisions/0041-repeated-requests.md). A record is written in the transaction of its request: after a crash there are both
-- or neither. Records are used for 24 hours. The nightly job deletes them.
CREATE TABLE idempotency_records (
  tenant_id       uuid NOT NULL,                    -- the nil UUID if the request is about no tenant
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
CALL guildhall_isolate_tenant('idempotency_records');
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_records TO guildhall_app;
