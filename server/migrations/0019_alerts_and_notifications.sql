-- What Guildhall tells people of its own accord: notifications, and the alerts that are a reason for them.

-- One row for each person who is told. They are about workspaces and tenants, but belong to the account.
CREATE TABLE notifications (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  position     bigint,                              -- the order of an account's; given at the commit, never null after it
  type         text NOT NULL,                       -- alert.rate_spike, …
  title        text NOT NULL,
  text         text NOT NULL,
  data         jsonb NOT NULL DEFAULT '{}',
  workspace_id uuid REFERENCES workspaces,          -- null: about the deployment
  tenant_id    uuid REFERENCES tenants,             -- null: not about one tenant
  created_at   timestamptz NOT NULL DEFAULT now(),
  read_at      timestamptz
);
CREATE UNIQUE INDEX notifications_of_account ON notifications (account_id, position);
CREATE INDEX notifications_unread ON notifications (account_id) WHERE read_at IS NULL;
CREATE INDEX ON notifications (created_at);         -- to delete old ones

CREATE TABLE notification_counts (
  account_id    uuid PRIMARY KEY REFERENCES accounts,
  last_position bigint NOT NULL
);

-- Runs as the last thing before a commit. The account's count stays locked from here until the row can be seen, so positions
-- are in the order of commits (docs/decisions/0029-notification-order.md).
CREATE FUNCTION guildhall_place_notification() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place bigint;
BEGIN
  INSERT INTO notification_counts AS counted (account_id, last_position) VALUES (NEW.account_id, 1)
  ON CONFLICT (account_id) DO UPDATE SET last_position = counted.last_position + 1
  RETURNING last_position INTO place;
  UPDATE notifications SET position = place WHERE id = NEW.id;
  PERFORM pg_notify('guildhall_changes', 'notifications ' || NEW.account_id);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER place_notification AFTER INSERT ON notifications
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guildhall_place_notification();

GRANT SELECT, INSERT, UPDATE, DELETE ON notifications, notification_counts TO guildhall_app;

-- Streams of notifications end with the session that they were opened in.
CREATE TRIGGER notify_change AFTER UPDATE OF revoked_at ON account_sessions
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id');

-- A key went above a threshold.
CREATE TABLE alerts (
  tenant_id    uuid NOT NULL REFERENCES tenants,
  id           uuid NOT NULL,                       -- UUIDv7: the order of lists
  workspace_id uuid NOT NULL REFERENCES workspaces,
  type         text NOT NULL CHECK (type IN ('rate_spike', 'payload_spike')),
  key_id       uuid NOT NULL REFERENCES tenant_keys,
  key_kind     text NOT NULL CHECK (key_kind IN ('game', 'api')),
  threshold    bigint NOT NULL,
  observed     bigint NOT NULL,
  window_start timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  told_at      timestamptz,                         -- when mails, notifications and webhooks were given out
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON alerts (workspace_id, id DESC);

-- Written in the tenant's scope; read there, and in its workspace's, which spans its tenants.
CALL guildhall_isolate_tenant('alerts');
CREATE POLICY read_in_workspace ON alerts FOR SELECT TO guildhall_app USING (workspace_id = guildhall_workspace());

-- When a key last raised an alert of a type: who raises the next decides by this row.
CREATE TABLE alert_times (
  tenant_id uuid NOT NULL,
  key_id    uuid NOT NULL REFERENCES tenant_keys,
  type      text NOT NULL CHECK (type IN ('rate_spike', 'payload_spike')),
  raised_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key_id, type)
);
CALL guildhall_isolate_tenant('alert_times');

GRANT SELECT, INSERT, UPDATE, DELETE ON alerts, alert_times TO guildhall_app;
