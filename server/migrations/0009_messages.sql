-- Mails, notifications and webhooks.

-- Mails that were sent, or wait to be. A mail is written in the transaction that sends it, and delivered by a job of the queue. The
-- library of the queue creates and changes the schema pgboss by itself; jobs/queue.ts grants what the application needs.
CREATE TABLE mails (
  id          uuid PRIMARY KEY,                     -- UUIDv7: the order of the outbox
  recipient   text NOT NULL,
  subject     text NOT NULL,                        -- holds no secret
  body        bytea,                                -- text and HTML, sealed: they hold codes and tokens; null once delivered
  created_at  timestamptz NOT NULL DEFAULT now(),
  give_up_at  timestamptz NOT NULL,                 -- from then on it is of no use to its reader
  sent_at     timestamptz,
  failed_at   timestamptz,                          -- refused for good, given up, or above the limit of its budget
  failure     text,                                 -- the last answer of the mail server
  budget      text,                                 -- what the mail is counted for; null: it is not counted
  daily_mails integer,                              -- how many mails of the budget are sent within a day
  CHECK ((budget IS NULL) = (daily_mails IS NULL))
);
-- The mails that are tried again: few, unless the mail server fails.
CREATE INDEX mails_failing ON mails (id) WHERE sent_at IS NULL AND failed_at IS NULL AND failure IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO guildhall_app;
-- Changes of a profile are mailed in the transaction that makes them.
GRANT INSERT ON mails TO guildhall_player;

-- Notices within a day: to a dashboard account, or to an address about profiles of players.
CREATE TABLE mail_budgets (
  budget text PRIMARY KEY,
  since  timestamptz NOT NULL,
  sent   integer NOT NULL
) WITH (fillfactor = 80);
GRANT SELECT, DELETE ON mail_budgets TO guildhall_app;

-- Runs right before a commit, so that a slow transaction that notifies somebody delays no other (like guildhall_place_notification).
-- Above the limit the mail stays in the outbox, as failed. Nothing else adds to the budgets.
CREATE FUNCTION guildhall_count_mail() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_budgets AS known (budget, since, sent) VALUES (NEW.budget, now(), 1)
  ON CONFLICT (budget) DO UPDATE SET
    since = CASE WHEN known.since < now() - interval '1 day' THEN now() ELSE known.since END,
    sent = CASE WHEN known.since < now() - interval '1 day' THEN 1 ELSE known.sent + 1 END
  WHERE known.sent < NEW.daily_mails OR known.since < now() - interval '1 day';
  IF NOT FOUND THEN
    UPDATE mails SET body = NULL, failed_at = now(), failure = 'Not sent: this address received too many notices today.'
    WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER count_mail AFTER INSERT ON mails
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.budget IS NOT NULL) EXECUTE FUNCTION guildhall_count_mail();

-- One row for each recipient. A notification is about a workspace or tenant, and belongs to the account.
CREATE TABLE notifications (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  position     bigint,                              -- the order within the account; set at the commit, never null after it
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

-- Runs right before a commit. The count of the account stays locked from here until the row is visible, so positions are in the
-- order of commits (docs/decisions/0029-notification-order.md). Nothing else writes the counts.
CREATE FUNCTION guildhall_place_notification() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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

-- Their account reads them, the worker deletes them, and every scope adds them.
CALL guildhall_isolate('notifications', 'account_id = guildhall_account() OR guildhall_platform()');
CREATE POLICY notify ON notifications FOR INSERT TO guildhall_app WITH CHECK (true);
CALL guildhall_isolate('notification_counts', 'account_id = guildhall_account() OR guildhall_platform()');
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications TO guildhall_app;
GRANT SELECT ON notification_counts TO guildhall_app;

-- A webhook of a tenant, of a workspace with all of its tenants, or (no workspace) of the deployment.
CREATE TABLE webhooks (
  id                    uuid PRIMARY KEY,
  workspace_id          uuid REFERENCES workspaces,
  tenant_id             uuid REFERENCES tenants,
  url                   text NOT NULL,
  description           text,
  event_types           text[],                     -- null: all
  secret                bytea NOT NULL,             -- sealed with the master key, like the earlier ones
  -- Secrets before a rotation, and until when each of them signs too. The one that signs longest is the first.
  earlier_secrets       bytea[] NOT NULL DEFAULT '{}',
  earlier_secrets_until timestamptz[] NOT NULL DEFAULT '{}',
  created_at            timestamptz NOT NULL DEFAULT now(),
  failing_since         timestamptz,                -- the first failure after the last success, or after days without a failure
  last_failed_at        timestamptz,                -- accurate to an hour, set with the column above
  disabled_at           timestamptz,
  disabled_reason       text CHECK (disabled_reason IN ('by_hand', 'gone', 'failing')),
  CHECK (cardinality(earlier_secrets) = cardinality(earlier_secrets_until)),
  CHECK (tenant_id IS NULL OR workspace_id IS NOT NULL),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX ON webhooks (workspace_id, created_at);

-- One event for one webhook, written in the transaction of the event and delivered by jobs. Its id is the webhook-id of every
-- attempt.
CREATE TABLE webhook_deliveries (
  id               uuid PRIMARY KEY,                -- UUIDv7: the order of lists
  webhook_id       uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_type       text NOT NULL,
  body             text NOT NULL,                   -- the exact bytes that are sent and signed
  created_at       timestamptz NOT NULL DEFAULT now(),
  status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  turn             integer NOT NULL DEFAULT 1,      -- the one job that may attempt it; jobs of other turns are out of date
  attempts         integer NOT NULL DEFAULT 0,
  failures         integer NOT NULL DEFAULT 0,      -- since it was published or redelivered: decides the next wait
  next_attempt_at  timestamptz DEFAULT now(),       -- null if none follows
  attempting_until timestamptz,                     -- an attempt runs, or its worker has died by then
  last_attempt_at  timestamptz,
  last_status_code integer,
  last_error       text
);
CREATE INDEX ON webhook_deliveries (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id) WHERE status = 'pending';

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  number      integer NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT now(),
  duration_ms integer,                              -- null: it runs, or its worker has died
  status_code integer,                              -- null: no answer
  error       text,                                 -- null: delivered
  answer      text,                                 -- the beginning of the body of the answer
  PRIMARY KEY (delivery_id, number)
);

-- Deliveries that a request sends again. A job starts some of them at a time (docs/decisions/0065-bulk-redelivery.md).
CREATE TABLE webhook_redeliveries (
  id           uuid PRIMARY KEY,                    -- UUIDv7: the order of lists
  webhook_id   uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  status       text NOT NULL CHECK (status IN ('running', 'completed', 'cancelled', 'stopped')),
  delivery_ids uuid[] NOT NULL,                     -- all, oldest first; empty once it has ended
  total        integer NOT NULL,
  started      integer NOT NULL DEFAULT 0,          -- how many of delivery_ids were made due
  in_progress  uuid[] NOT NULL DEFAULT '{}',        -- of these, those whose next attempt has not ended
  delivered    integer NOT NULL DEFAULT 0,
  failed       integer NOT NULL DEFAULT 0,
  skipped      integer NOT NULL DEFAULT 0,
  step         integer NOT NULL DEFAULT 1,          -- the one job that may continue it
  created_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz,
  CHECK ((ended_at IS NULL) = (status = 'running'))
);
CREATE UNIQUE INDEX webhook_redeliveries_running ON webhook_redeliveries (webhook_id) WHERE status = 'running';
CREATE INDEX ON webhook_redeliveries (webhook_id, id DESC);

-- Webhooks: those of a workspace in its scope, those of the deployment and the work of the worker in the platform's.
CALL guildhall_isolate('webhooks', 'workspace_id = guildhall_workspace() OR guildhall_platform()');

-- A scope that sees a webhook sees its deliveries.
CALL guildhall_isolate('webhook_deliveries',
  'guildhall_platform() OR EXISTS (SELECT FROM webhooks webhook WHERE webhook.id = webhook_id OFFSET 0)');

CALL guildhall_isolate('webhook_attempts',
  'guildhall_platform() OR EXISTS (SELECT FROM webhook_deliveries delivery WHERE delivery.id = delivery_id OFFSET 0)');

CALL guildhall_isolate('webhook_redeliveries',
  'guildhall_platform() OR EXISTS (SELECT FROM webhooks webhook WHERE webhook.id = webhook_id OFFSET 0)');

-- Every scope publishes events.
CREATE POLICY publish ON webhook_deliveries FOR INSERT TO guildhall_app WITH CHECK (true);

-- The enabled webhooks that want an event of a workspace or tenant. They cannot be deleted until the transaction ends.
CREATE FUNCTION guildhall_webhook_subscribers(wanted_type text, workspace uuid, tenant uuid) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id FROM webhooks
  WHERE (workspace_id = workspace OR workspace_id IS NULL) AND (tenant_id = tenant OR tenant_id IS NULL)
    AND (wanted_type = ANY(event_types) OR event_types IS NULL) AND disabled_at IS NULL
  ORDER BY id FOR KEY SHARE
$$;
REVOKE EXECUTE ON FUNCTION guildhall_webhook_subscribers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_webhook_subscribers TO guildhall_app;

-- The owners of the places of webhooks, each with all of its webhooks.
CREATE FUNCTION guildhall_owners_of_webhooks(asked uuid[]) RETURNS TABLE (webhook_id uuid, owner_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH found AS MATERIALIZED (
    SELECT workspace_id, guildhall_owner_of_workspace(workspace_id) AS owner_id
    FROM (SELECT DISTINCT workspace_id FROM webhooks WHERE id = ANY(asked)) workspace
  ), owned AS MATERIALIZED (
    SELECT workspace_id, owner_id FROM found
    UNION
    SELECT other.workspace_id, owner_id
    FROM (SELECT DISTINCT owner_id FROM found) owner
    CROSS JOIN LATERAL (
      SELECT workspace_id FROM memberships WHERE account_id = owner_id AND role = 'owner' OFFSET 0) other
    WHERE guildhall_owner_of_workspace(other.workspace_id) = owner_id
  )
  SELECT webhook.id, owner_id
  FROM owned
  CROSS JOIN LATERAL (SELECT id FROM webhooks WHERE workspace_id = owned.workspace_id OFFSET 0) webhook
  UNION ALL
  SELECT id, NULL FROM webhooks WHERE workspace_id IS NULL AND EXISTS (SELECT FROM owned WHERE workspace_id IS NULL)
$$;
REVOKE EXECUTE ON FUNCTION guildhall_owners_of_webhooks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_owners_of_webhooks TO guildhall_app;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, webhook_deliveries, webhook_attempts, webhook_redeliveries TO guildhall_app;
