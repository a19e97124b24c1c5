-- Webhooks: where events are told to, and each telling of one. Written in the transaction of what is told; delivered by jobs.

-- Of a tenant, of a workspace with all of its tenants, or (no workspace) of the deployment. Outside of the wall: an event is
-- told in the scope of its tenant, to endpoints of all three kinds.
CREATE TABLE webhook_endpoints (
  id                    uuid PRIMARY KEY,
  workspace_id          uuid REFERENCES workspaces,
  tenant_id             uuid REFERENCES tenants,
  url                   text NOT NULL,
  description           text,
  event_types           text[],                     -- null: all
  secret                bytea NOT NULL,             -- sealed with the master key, as is the next
  previous_secret       bytea,                      -- signs too, until its time is over
  previous_secret_until timestamptz,
  created_at            timestamptz NOT NULL DEFAULT now(),
  failing_since         timestamptz,                -- the first failure after the last success
  disabled_at           timestamptz,
  disabled_reason       text CHECK (disabled_reason IN ('by_hand', 'gone', 'failing')),
  CHECK (tenant_id IS NULL OR workspace_id IS NOT NULL),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX ON webhook_endpoints (workspace_id, created_at);

-- One event for one endpoint. Its id is the webhook-id of every attempt.
CREATE TABLE webhook_deliveries (
  id               uuid PRIMARY KEY,                -- UUIDv7: the order of lists
  endpoint_id      uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  event_type       text NOT NULL,
  body             text NOT NULL,                   -- to the byte what is sent and signed
  created_at       timestamptz NOT NULL DEFAULT now(),
  status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  turn             integer NOT NULL DEFAULT 1,      -- the one job that may attempt it; others are out of date
  attempts         integer NOT NULL DEFAULT 0,
  failures         integer NOT NULL DEFAULT 0,      -- since it was published or sent again: which wait comes next
  next_attempt_at  timestamptz DEFAULT now(),       -- null where none follows
  attempting_until timestamptz,                     -- an attempt runs, or its worker has died by then
  last_attempt_at  timestamptz,
  last_status_code integer,
  last_error       text
);
CREATE INDEX ON webhook_deliveries (endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id) WHERE status = 'pending';

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  number      integer NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT now(),
  duration_ms integer,                              -- null: it runs, or its worker has died
  status_code integer,                              -- null: no answer
  error       text,                                 -- null: delivered
  answer      text,                                 -- how the answer's body began
  PRIMARY KEY (delivery_id, number)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoints, webhook_deliveries, webhook_attempts TO guildhall_app;
