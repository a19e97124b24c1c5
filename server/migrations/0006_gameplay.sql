-- Matches, event definitions and gameplay events.

CREATE TABLE match_sessions (
  tenant_id  uuid NOT NULL REFERENCES tenants,
  id         uuid NOT NULL,
  mode       text,
  metadata   jsonb NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL,
  ended_at   timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX match_sessions_running ON match_sessions (tenant_id, id) WHERE ended_at IS NULL;
CALL guildhall_isolate_tenant('match_sessions');

CREATE TABLE match_players (
  tenant_id        uuid NOT NULL,
  id               uuid NOT NULL,
  match_session_id uuid NOT NULL,
  player_id        uuid NOT NULL REFERENCES players,
  login_session_id uuid,
  joined_at        timestamptz NOT NULL,
  left_at          timestamptz,
  placement        integer,
  score            bigint,
  outcome          text,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, match_session_id) REFERENCES match_sessions,
  UNIQUE (tenant_id, match_session_id, player_id)
);
CREATE INDEX ON match_players (tenant_id, player_id, match_session_id);
CALL guildhall_isolate_tenant('match_players');
-- A merge lets a person be in a running match once. OFFSET 0 keeps PostgreSQL from reading the whole table into a hash table.
CREATE POLICY own_rows ON match_players TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
CREATE POLICY read_own ON match_sessions FOR SELECT TO guildhall_player
  USING (EXISTS (SELECT FROM match_players entry
                 WHERE entry.tenant_id = match_sessions.tenant_id AND entry.match_session_id = match_sessions.id OFFSET 0));

CREATE TABLE event_definitions (
  tenant_id         uuid NOT NULL REFERENCES tenants,
  id                uuid NOT NULL,
  event_key         text NOT NULL,
  event_value       text,
  event_scope       text NOT NULL DEFAULT 'match' CHECK (event_scope IN ('match', 'player', 'both')),
  event_category    text,
  event_description text,
  is_active         boolean NOT NULL DEFAULT true,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT event_definitions_triple UNIQUE NULLS NOT DISTINCT (tenant_id, event_key, event_value)
);
CALL guildhall_isolate_tenant('event_definitions');

-- The events. The primary key is the deduplication key; the C collation makes it a byte comparison. Eight-byte columns come first,
-- so that no byte of a row is padding.
--
-- The second index finds the events of one player or one match without reading all events of the tenant. It holds the actor alone.
-- Equal entries share one list of rows, so it is a ninth of the size of the primary key. It slows a bare COPY by 13%.
-- With the time behind the actor it would be as large as the primary key, and slow a COPY by 28%
-- (docs/decisions/0038-actor-index-of-events.md).
CREATE TABLE match_events (
  occurred_at          timestamptz NOT NULL,
  created_at_gl        timestamptz NOT NULL,
  value                bigint,
  tenant_id            uuid NOT NULL,
  id                   uuid NOT NULL,
  match_player_id      uuid NOT NULL,
  match_session_id     uuid NOT NULL,
  login_session_id     uuid,
  event_definitions_id uuid NOT NULL,
  idempotency_key      text COLLATE "C" NOT NULL,
  row_hash             bytea NOT NULL,
  PRIMARY KEY (tenant_id, occurred_at, idempotency_key)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX match_events_of_actor ON match_events (match_player_id);
CREATE TABLE match_events_default PARTITION OF match_events DEFAULT;
CALL guildhall_isolate_tenant('match_events');

CREATE TABLE player_events (
  occurred_at          timestamptz NOT NULL,
  created_at_gl        timestamptz NOT NULL,
  value                bigint,
  tenant_id            uuid NOT NULL,
  id                   uuid NOT NULL,
  player_id            uuid NOT NULL,
  login_session_id     uuid,
  event_definitions_id uuid NOT NULL,
  idempotency_key      text COLLATE "C" NOT NULL,
  row_hash             bytea NOT NULL,
  PRIMARY KEY (tenant_id, occurred_at, idempotency_key)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX player_events_of_actor ON player_events (player_id);
CREATE TABLE player_events_default PARTITION OF player_events DEFAULT;
CALL guildhall_isolate_tenant('player_events', player_too => true);

-- The stored events counted by definition, and all together, by minute, hour and day of occurred_at in UTC
-- (docs/decisions/0061-event-rollups.md). A transaction that stores events adds a delta for each definition and minute. The worker
-- moves deltas into the roll-ups, in one statement. The counts are the sum of both in one snapshot: exact at any moment.
--
-- Each transaction adds rows of its own, so no two of them wait for each other.
CREATE TABLE event_rollup_deltas (
  tenant_id     uuid NOT NULL,
  scope         text NOT NULL,                      -- 'match': match_events, 'player': player_events
  starts_at     timestamptz NOT NULL,               -- a minute
  definition_id uuid NOT NULL,
  events        bigint NOT NULL,
  value_count   bigint NOT NULL,                    -- the events that have a value
  value_sum     numeric,                            -- null, as the next two: no event has a value
  value_minimum bigint,
  value_maximum bigint
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX ON event_rollup_deltas (tenant_id, scope, starts_at);

CREATE TABLE event_rollups (
  tenant_id     uuid NOT NULL,
  scope         text NOT NULL CHECK (scope IN ('match', 'player')),
  span          text NOT NULL,
  is_total      boolean NOT NULL,                   -- the events of all definitions
  starts_at     timestamptz NOT NULL,
  definition_id uuid NOT NULL,                      -- of a total: the nil UUID
  events        bigint NOT NULL,
  value_count   bigint NOT NULL,
  value_sum     numeric,
  value_minimum bigint,
  value_maximum bigint,
  PRIMARY KEY (tenant_id, scope, span, is_total, starts_at, definition_id)
) PARTITION BY LIST (span);
-- In one table, the row of a day would be among its 1,440 minutes, in a page of its own. A year of days would be thousands of reads.
CREATE TABLE event_rollups_minute PARTITION OF event_rollups FOR VALUES IN ('minute') WITH (fillfactor = 80);
CREATE TABLE event_rollups_hour PARTITION OF event_rollups FOR VALUES IN ('hour') WITH (fillfactor = 80);
CREATE TABLE event_rollups_day PARTITION OF event_rollups FOR VALUES IN ('day') WITH (fillfactor = 80);
-- For the chart of a definition. Minutes have none: they are most of the rows, and the primary key finds a definition in each of them.
CREATE INDEX ON event_rollups_hour (definition_id, starts_at) WHERE NOT is_total;
CREATE INDEX ON event_rollups_day (definition_id, starts_at) WHERE NOT is_total;

-- The worker moves the deltas of all tenants.
CALL guildhall_isolate('event_rollup_deltas',
  'coalesce(tenant_id = (SELECT guildhall_tenant()), false) OR (SELECT guildhall_platform())');
CALL guildhall_isolate('event_rollups',
  'coalesce(tenant_id = (SELECT guildhall_tenant()), false) OR (SELECT guildhall_platform())');

-- The day from which roll-ups count the events of a scope, for all tenants. Events from before it are counted in their table: they
-- were dropped with their month, or arrived after that.
CREATE TABLE event_rollup_starts (
  scope     text PRIMARY KEY CHECK (scope IN ('match', 'player')),
  starts_at timestamptz NOT NULL
);
INSERT INTO event_rollup_starts VALUES ('match', '-infinity'), ('player', '-infinity');

-- The events that ingestion refused, counted by day in UTC, reason and names (docs/decisions/0068-rejected-events.md). The id of a group
-- is a hash of its reason and names.
CREATE TABLE rejected_events (
  tenant_id            uuid NOT NULL REFERENCES tenants,
  day                  date NOT NULL,
  id                   uuid NOT NULL,
  scope                text NOT NULL CHECK (scope IN ('match', 'player')),
  status_code          integer NOT NULL,
  error                text NOT NULL,
  event_key            text,                        -- null, as the next two: not given, not the reason, or one of many
  event_value          text,
  event_definition_id  uuid,
  events               bigint NOT NULL,
  first_seen_at        timestamptz NOT NULL,
  last_seen_at         timestamptz NOT NULL,
  last_idempotency_key text,
  last_key_id          uuid NOT NULL,
  PRIMARY KEY (tenant_id, day, id)
);
-- Each process writes the counts of all tenants.
CALL guildhall_isolate('rejected_events',
  'coalesce(tenant_id = (SELECT guildhall_tenant()), false) OR (SELECT guildhall_platform())');

-- The files that contain the events of archived months (docs/decisions/0048-event-archive.md). The name of a part is also its folder:
-- tenant/scope/month/part. The hash of its manifest, which has the hashes of its files, makes each change of them visible.
CREATE TABLE event_archives (
  tenant_id     uuid NOT NULL,
  scope         text NOT NULL CHECK (scope IN ('match', 'player')),
  month         date NOT NULL,                      -- the first day
  part          integer NOT NULL CHECK (part > 0),
  rows          bigint,
  bytes         bigint,
  first_at      timestamptz,                        -- of the first event
  last_at       timestamptz,
  manifest_hash bytea,
  archived_at   timestamptz,                        -- null: the files are being written or deleted, and no query reads them
  PRIMARY KEY (tenant_id, scope, month, part),
  CHECK (archived_at IS NULL OR (rows, bytes, first_at, last_at, manifest_hash) IS NOT NULL)
);
CALL guildhall_isolate('event_archives',
  'coalesce(tenant_id = (SELECT guildhall_tenant()), false) OR (SELECT guildhall_platform())');

GRANT SELECT, INSERT, UPDATE, DELETE ON match_sessions, match_players, event_definitions, event_rollups, rejected_events
  TO guildhall_app;
GRANT SELECT, INSERT, DELETE ON event_rollup_deltas TO guildhall_app;
GRANT SELECT ON event_rollup_starts, event_archives TO guildhall_app;
GRANT INSERT ON event_rollup_deltas TO guildhall_event_writer;
GRANT SELECT, INSERT ON match_events, player_events TO guildhall_app;
GRANT SELECT ON player_events, match_sessions TO guildhall_player;
GRANT SELECT, UPDATE (left_at) ON match_players TO guildhall_player;
GRANT INSERT ON match_events, player_events TO guildhall_event_writer;

CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON event_definitions
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');
