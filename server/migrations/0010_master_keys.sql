-- The root key, from which all keys of the vault are derived, sealed with each master key that the deployment accepts. So a master key
-- can be replaced without a change of the data that the root key protects.
CREATE TABLE master_keys (
  id        text PRIMARY KEY,                       -- derived from the master key, which is not stored
  root_key  bytea NOT NULL,                         -- sealed with the master key
  added_at  timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, DELETE ON master_keys TO guildhall_app;
