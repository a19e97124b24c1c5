-- Finds the events of one player or one match without reading all events of the tenant. The actor alone: equal entries share one
-- list of rows, so the index is a ninth of the primary key's size and takes 13% of the speed of a bare COPY. With the time
-- behind the actor it would be as large as the primary key and take 28% (docs/decisions/0038-actor-index-of-events.md).
CREATE INDEX match_events_of_actor ON match_events (match_player_id);
CREATE INDEX player_events_of_actor ON player_events (player_id);
