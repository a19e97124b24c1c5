-- Teams: who is invited to a workspace, which key followed which, and searching the audit trail.

-- A row for every mail sent: the next invitation of an address ends the one before. So the rows are also the count of
-- mails, and withdrawing an invitation does not give one back.
CREATE TABLE invitations (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces,
  email        text NOT NULL,                       -- normalised: trimmed and lower-case
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  token_hash   bytea NOT NULL UNIQUE,               -- HMAC-SHA256 of what was mailed
  invited_by   uuid NOT NULL REFERENCES accounts,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz                          -- accepted, withdrawn, or replaced by the next
);
CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, email) WHERE ended_at IS NULL;
CREATE INDEX ON invitations (email, created_at);
CREATE INDEX ON invitations (invited_by, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON invitations TO guildhall_app;

-- The key that a rotation put in this one's place. A key is rotated once: then it is its successor's turn.
ALTER TABLE tenant_keys ADD COLUMN successor_id uuid REFERENCES tenant_keys;

-- Searches of a trail by what was done and by who did it, each newest first. By what it was done to there is one already.
CREATE INDEX ON audit_records (tenant_id, action, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (tenant_id, actor_id, id DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, action, id DESC) WHERE workspace_id IS NOT NULL;
CREATE INDEX ON audit_records (workspace_id, actor_id, id DESC) WHERE workspace_id IS NOT NULL;
