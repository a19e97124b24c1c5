-- The dashboard's side: accounts, workspaces with their teams, tenants, keys and provider settings. Small tables, read through
-- caches. A statement that forgets its predicate finds only rows of its scope. What must be found before a scope is known is
-- found by functions that take the exact key.

CREATE TABLE accounts (
  id                uuid PRIMARY KEY,
  email             text NOT NULL UNIQUE,           -- normalised: trimmed and lower-case
  email_verified_at timestamptz,                    -- null: nobody has shown that they read its mail
  password_hash     text NOT NULL,                  -- argon2id, PHC string
  display_name      text,
  is_platform_admin boolean NOT NULL DEFAULT false,
  created_at        timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE account_sessions (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),  -- when it was last opened or refreshed
  ip_address   inet,                                -- from where that was
  user_agent   text,                                -- at most 256 characters
  revoked_at   timestamptz                          -- logout, or reuse of a refresh token
);
CREATE INDEX ON account_sessions (account_id);
-- Streams of notifications end with the session in which they were opened.
CREATE TRIGGER notify_change AFTER UPDATE OF revoked_at ON account_sessions
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id');

CREATE TABLE account_refresh_tokens (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES account_sessions ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- kept after use, to detect a second use
);
CREATE INDEX ON account_refresh_tokens (session_id);
-- The list of sessions asks which of them can be refreshed. A session can have any number of used tokens.
CREATE INDEX ON account_refresh_tokens (session_id) WHERE used_at IS NULL;

-- Tokens that prove something once: a mailed token that verifies the address or sets a new password, or the token of a login
-- that waits for the second factor. A used token is kept until it expires, because the mails are counted.
CREATE TABLE account_tokens (
  token_hash bytea PRIMARY KEY,                     -- HMAC-SHA256
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  purpose    text NOT NULL CHECK (purpose IN ('verify', 'reset', 'mfa', 'link')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz                            -- used, or ended by a new password
);
CREATE INDEX ON account_tokens (account_id, purpose);

-- The second factor (TOTP, RFC 6238).
CREATE TABLE account_totp (
  account_id   uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  secret       bytea NOT NULL,                      -- sealed with the master key
  created_at   timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz,                         -- null: no login asks for it yet
  last_step    bigint NOT NULL DEFAULT 0            -- the time step of the newest code that was used
);

-- A code is deleted when it is used.
CREATE TABLE account_recovery_codes (
  account_id uuid NOT NULL REFERENCES account_totp ON DELETE CASCADE,
  code_hash  bytea NOT NULL,                        -- HMAC-SHA256
  PRIMARY KEY (account_id, code_hash)
);

-- A workspace carries its plan, so that an operator can change the limits of one customer without a plan for it.
CREATE TABLE workspaces (
  id                                     uuid PRIMARY KEY,
  name                                   text NOT NULL,
  slug                                   text NOT NULL UNIQUE,
  plan                                   text NOT NULL DEFAULT 'default',
  monthly_units                          bigint,    -- null: unlimited
  hard_stop                              boolean NOT NULL DEFAULT false,
  requests_per_minute                    integer NOT NULL DEFAULT 60000,
  requests_per_hour                      integer NOT NULL DEFAULT 2000000,
  max_match_event_records_per_request    integer NOT NULL DEFAULT 10000,
  max_player_event_records_per_request   integer NOT NULL DEFAULT 10000,
  created_at                             timestamptz NOT NULL DEFAULT now(),
  search_name                            text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (guildhall_search_form(name)) STORED
);
CREATE INDEX ON workspaces (search_name);
-- Only what processes cache. Names change without notice, and a workspace that can be deleted is cached nowhere.
CREATE TRIGGER notify_change AFTER UPDATE ON workspaces FOR EACH ROW
  WHEN ((OLD.monthly_units, OLD.hard_stop, OLD.requests_per_minute, OLD.requests_per_hour,
         OLD.max_match_event_records_per_request, OLD.max_player_event_records_per_request)
        IS DISTINCT FROM
        (NEW.monthly_units, NEW.hard_stop, NEW.requests_per_minute, NEW.requests_per_hour,
         NEW.max_match_event_records_per_request, NEW.max_player_event_records_per_request))
  EXECUTE FUNCTION guildhall_notify_change('id');

CREATE TABLE memberships (
  workspace_id uuid NOT NULL REFERENCES workspaces,
  account_id   uuid NOT NULL REFERENCES accounts,
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX ON memberships (account_id);
-- A missing row is not cached, so an INSERT invalidates nothing.
CREATE TRIGGER notify_change AFTER UPDATE OR DELETE ON memberships
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('account_id');

-- One row for each mail: the next invitation of an address ends the previous one. So the rows also count the mails, and
-- withdrawing an invitation does not give one back.
CREATE TABLE invitations (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces,
  email        text NOT NULL,                       -- normalised: trimmed and lower-case
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
  token_hash   bytea NOT NULL UNIQUE,               -- HMAC-SHA256 of the mailed token
  invited_by   uuid NOT NULL REFERENCES accounts,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz                          -- accepted, withdrawn, or replaced by the next
);
CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, email) WHERE ended_at IS NULL;
CREATE INDEX ON invitations (email, created_at);
CREATE INDEX ON invitations (invited_by, created_at);

CREATE TABLE tenants (
  id                        uuid PRIMARY KEY,
  workspace_id              uuid NOT NULL REFERENCES workspaces,
  name                      text NOT NULL,
  slug                      text NOT NULL,
  hidden_from_discovery     boolean NOT NULL DEFAULT false,
  is_demo                   boolean NOT NULL DEFAULT false, -- made by the first start: Mock is always allowed in it
  auto_create_definitions   boolean NOT NULL DEFAULT false,
  alert_requests_per_minute integer NOT NULL DEFAULT 60000,
  alert_bytes_per_minute    bigint  NOT NULL DEFAULT 67108864,
  created_at                timestamptz NOT NULL DEFAULT now(),
  disabled_at               timestamptz,            -- DELETE disables: keys stop working, nothing is erased
  UNIQUE (workspace_id, slug),
  -- The portal belongs to no tenant. In one_time_codes the nil UUID stands for it.
  CONSTRAINT tenants_id_is_not_nil CHECK (id <> '00000000-0000-0000-0000-000000000000')
);
CREATE INDEX ON tenants (workspace_id, created_at, id);
CREATE TRIGGER notify_change AFTER UPDATE ON tenants FOR EACH ROW
  WHEN ((OLD.workspace_id, OLD.is_demo, OLD.auto_create_definitions, OLD.alert_requests_per_minute,
         OLD.alert_bytes_per_minute, OLD.disabled_at)
        IS DISTINCT FROM
        (NEW.workspace_id, NEW.is_demo, NEW.auto_create_definitions, NEW.alert_requests_per_minute,
         NEW.alert_bytes_per_minute, NEW.disabled_at))
  EXECUTE FUNCTION guildhall_notify_change('id');
CREATE TRIGGER notify_deletion AFTER DELETE ON tenants
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id');

CREATE TABLE tenant_keys (
  id                        uuid PRIMARY KEY,
  tenant_id                 uuid NOT NULL REFERENCES tenants,
  kind                      text NOT NULL CHECK (kind IN ('game', 'api')),
  name                      text NOT NULL,
  prefix                    text NOT NULL,          -- the part that may be shown
  fingerprint               bytea NOT NULL UNIQUE,  -- HMAC-SHA256 of the key
  allow_data_api            boolean NOT NULL DEFAULT false,
  requests_per_minute       integer,                -- null: the plan's
  requests_per_hour         integer,
  alert_requests_per_minute integer,                -- null: the tenant's
  alert_bytes_per_minute    bigint,
  subscriber_workspace_id   uuid REFERENCES workspaces, -- pays for the reads of the key
  subscriber_agreement_id   uuid,                   -- the agreement about that, which a rotation gives to the successor
  subscriber_agreed_by      uuid REFERENCES accounts,   -- who agreed to that for the paying workspace
  subscriber_agreed_at      timestamptz,
  successor_id              uuid REFERENCES tenant_keys, -- the key that replaced this one; a key is rotated once
  created_at                timestamptz NOT NULL DEFAULT now(),
  expires_at                timestamptz,
  revoked_at                timestamptz,
  last_used_at              timestamptz,
  -- An agreement ends together with subscriber_workspace_id (docs/decisions/0037-payer-agreements.md).
  CONSTRAINT subscriber_agreed CHECK (
    (subscriber_workspace_id IS NULL) = (subscriber_agreement_id IS NULL)
    AND (subscriber_workspace_id IS NULL) = (subscriber_agreed_by IS NULL)
    AND (subscriber_workspace_id IS NULL) = (subscriber_agreed_at IS NULL))
);
CREATE INDEX ON tenant_keys (tenant_id, kind, created_at);
CREATE INDEX tenant_keys_subscriber ON tenant_keys (subscriber_workspace_id, subscriber_agreed_at)
  WHERE subscriber_workspace_id IS NOT NULL;
-- last_used_at changes often and is not cached.
CREATE TRIGGER notify_change AFTER DELETE
    OR UPDATE OF allow_data_api, requests_per_minute, requests_per_hour, alert_requests_per_minute,
                 alert_bytes_per_minute, subscriber_workspace_id, expires_at, revoked_at ON tenant_keys
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');

CREATE TABLE provider_settings (
  tenant_id  uuid NOT NULL REFERENCES tenants,
  provider   text NOT NULL,
  enabled    boolean NOT NULL,
  settings   jsonb NOT NULL DEFAULT '{}',           -- settings that may be read back
  secrets    bytea,                                 -- settings that may not: JSON, sealed with the master key
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, provider)
);
CALL guildhall_isolate_tenant('provider_settings');
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON provider_settings
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');

GRANT SELECT, INSERT, UPDATE, DELETE ON
  accounts, account_sessions, account_refresh_tokens, account_tokens, account_totp, account_recovery_codes, workspaces,
  memberships, invitations, tenants, tenant_keys, provider_settings TO guildhall_app;
GRANT SELECT ON tenants TO guildhall_player;

-- An account sees itself. A caller who sees a membership also reads its account.
CALL guildhall_isolate('accounts', 'id = guildhall_account()');

CREATE POLICY read_in_team ON accounts FOR SELECT TO guildhall_app
  USING (guildhall_platform()
         OR EXISTS (SELECT FROM memberships membership WHERE membership.account_id = accounts.id OFFSET 0));

CREATE FUNCTION guildhall_find_account(address text)
RETURNS TABLE (
  id uuid, email text, "displayName" text, "isPlatformAdmin" boolean, "emailVerified" boolean, "totpEnabled" boolean,
  "createdAt" timestamptz, "passwordHash" text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id, email, display_name, is_platform_admin, email_verified_at IS NOT NULL,
         EXISTS (SELECT FROM account_totp totp WHERE totp.account_id = accounts.id AND totp.confirmed_at IS NOT NULL),
         created_at, password_hash
  FROM accounts WHERE email = address
$$;

CREATE FUNCTION guildhall_has_accounts() RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM accounts)
$$;

CREATE FUNCTION guildhall_has_platform_admin() RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM accounts WHERE is_platform_admin)
$$;

-- Sessions, tokens and second factors: those of one account. The worker deletes what has expired.
CALL guildhall_isolate('account_sessions', 'account_id = guildhall_account() OR guildhall_platform()');

CALL guildhall_isolate('account_refresh_tokens',
  'guildhall_platform() OR EXISTS (SELECT FROM account_sessions session WHERE session.id = session_id OFFSET 0)');

-- A login inserts the session in the same statement, which cannot see it yet.
CREATE POLICY issue ON account_refresh_tokens FOR INSERT TO guildhall_app WITH CHECK (guildhall_account() IS NOT NULL);

CALL guildhall_isolate('account_tokens', 'account_id = guildhall_account() OR guildhall_platform()');

CALL guildhall_isolate('account_totp', 'account_id = guildhall_account() OR guildhall_platform()');

CALL guildhall_isolate('account_recovery_codes', 'account_id = guildhall_account()');

-- The session that a refresh token was issued for, whether or not it still works.
CREATE FUNCTION guildhall_find_account_session(wanted_hash bytea) RETURNS TABLE ("sessionId" uuid, "ownerId" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT session.id, session.account_id
  FROM account_refresh_tokens token JOIN account_sessions session ON session.id = token.session_id
  WHERE token.token_hash = wanted_hash
$$;

-- Those of some sessions that have ended.
CREATE FUNCTION guildhall_ended_account_sessions(sessions uuid[]) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id FROM account_sessions WHERE id = ANY(sessions) AND revoked_at IS NOT NULL
$$;

-- The account of a token that can be used.
CREATE FUNCTION guildhall_find_account_token(wanted_purpose text, wanted_hash bytea) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT account_id FROM account_tokens
  WHERE token_hash = wanted_hash AND purpose = wanted_purpose AND used_at IS NULL AND expires_at > clock_timestamp()
$$;

-- Workspaces: in their own scope; read in the scope of a tenant, and by members.
CALL guildhall_isolate('workspaces', 'id = guildhall_workspace() OR guildhall_platform()');

CREATE POLICY read_by_members ON workspaces FOR SELECT TO guildhall_app
  USING (id = (SELECT workspace_id FROM tenants WHERE id = guildhall_tenant())
         OR id IN (SELECT workspace_id FROM memberships WHERE account_id = guildhall_account()));

-- Keeps the team of another workspace as it is until the transaction ends.
CREATE FUNCTION guildhall_share_team(workspace uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT FROM workspaces WHERE id = workspace FOR SHARE
$$;

-- Teams: read and changed in the scope of their workspace, read by the member and in the scope of a tenant.
CALL guildhall_isolate('memberships', 'workspace_id = guildhall_workspace() OR account_id = guildhall_account()');

CREATE POLICY read_in_tenant ON memberships FOR SELECT TO guildhall_app
  USING (workspace_id = (SELECT workspace_id FROM tenants WHERE id = guildhall_tenant()));

-- The role of an account in a workspace, or in the workspace of a tenant; null if it is no member.
CREATE FUNCTION guildhall_find_role(account uuid, workspace uuid, tenant uuid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT role FROM memberships
  WHERE account_id = account
    AND workspace_id = coalesce(workspace, (SELECT workspace_id FROM tenants WHERE id = tenant))
$$;

-- The owners and admins of a workspace, for what it is notified of in any scope.
CREATE FUNCTION guildhall_team_recipients(workspace uuid)
RETURNS TABLE ("accountId" uuid, email text, "emailVerified" boolean, "workspaceName" text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT account.id, account.email, account.email_verified_at IS NOT NULL, team.name
  FROM memberships membership
  CROSS JOIN LATERAL (SELECT id, email, email_verified_at FROM accounts WHERE id = membership.account_id OFFSET 0) account
  CROSS JOIN (SELECT name FROM workspaces WHERE id = workspace OFFSET 0) team
  WHERE membership.workspace_id = workspace AND membership.role IN ('owner', 'admin')
  ORDER BY account.id
$$;

-- Invitations: of their workspace. The holder of a mailed token finds the one that it is for.
CALL guildhall_isolate('invitations', 'workspace_id = guildhall_workspace() OR guildhall_platform()');

CREATE FUNCTION guildhall_find_invitation(wanted_hash bytea)
RETURNS TABLE (
  id uuid, "workspaceId" uuid, email text, role text, "expiresAt" timestamptz, "workspaceName" text, "workspaceSlug" text,
  "invitedBy" text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT invitation.id, invitation.workspace_id, invitation.email, invitation.role, invitation.expires_at,
         workspace.name, workspace.slug, inviter.email
  FROM invitations invitation
  JOIN workspaces workspace ON workspace.id = invitation.workspace_id
  JOIN accounts inviter ON inviter.id = invitation.invited_by
  WHERE invitation.token_hash = wanted_hash AND invitation.ended_at IS NULL AND invitation.expires_at > now()
$$;

-- The invitations of the last day to an address that limit an inviter: those of the workspace, those of the inviter and, if the
-- address of the inviter is not verified, those of all such accounts. With the seconds until the first of them is a day old.
CREATE FUNCTION guildhall_count_invitations_to(address text, workspace uuid, inviter uuid)
RETURNS TABLE (count bigint, seconds integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), greatest(1, ceil(extract(epoch FROM min(sent.created_at) + interval '1 day' - now())))::int
  FROM invitations sent
  WHERE sent.email = address AND sent.created_at > now() - interval '1 day'
    AND (sent.workspace_id = workspace OR sent.invited_by = inviter
         OR (EXISTS (SELECT FROM accounts WHERE id = inviter AND email_verified_at IS NULL)
             AND EXISTS (SELECT FROM accounts WHERE id = sent.invited_by AND email_verified_at IS NULL)))
$$;

CREATE FUNCTION guildhall_count_invitations_by(account uuid) RETURNS TABLE (count bigint, seconds integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 day' - now())))::int
  FROM invitations WHERE invited_by = account AND created_at > now() - interval '1 day'
$$;

-- Tenants: in their own scope, and in that of their workspace.
CALL guildhall_isolate('tenants',
  'id = guildhall_tenant() OR workspace_id = guildhall_workspace() OR guildhall_platform()');

-- Keys: changed in the scope of their tenant, read in that of its workspace.
CALL guildhall_isolate('tenant_keys', 'tenant_id = guildhall_tenant()');

CREATE POLICY read_in_workspace ON tenant_keys FOR SELECT TO guildhall_app
  USING (tenant_id IN (SELECT id FROM tenants WHERE workspace_id = guildhall_workspace()));

-- A key that is not revoked, of a tenant that is not disabled, with its workspace's plan.
CREATE FUNCTION guildhall_find_key(wanted_kind text, wanted_fingerprint bytea)
RETURNS TABLE (
  "keyId" uuid, kind text, "tenantId" uuid, "workspaceId" uuid, "allowDataApi" boolean, "rateLimit" jsonb,
  "maxMatchEventsPerRequest" integer, "maxPlayerEventsPerRequest" integer, "alertThresholds" jsonb, "payerId" uuid,
  "payerHasHardStop" boolean, "expiresAtMs" float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT key.id, key.kind, key.tenant_id, tenant.workspace_id, key.allow_data_api,
         jsonb_build_object(
           'perMinute', least(key.requests_per_minute, workspace.requests_per_minute),
           'perHour', least(key.requests_per_hour, workspace.requests_per_hour)),
         workspace.max_match_event_records_per_request, workspace.max_player_event_records_per_request,
         jsonb_build_object(
           'rate_spike', coalesce(key.alert_requests_per_minute, tenant.alert_requests_per_minute),
           'payload_spike', coalesce(key.alert_bytes_per_minute, tenant.alert_bytes_per_minute)),
         payer.id, payer.hard_stop AND payer.monthly_units IS NOT NULL,
         (extract(epoch FROM key.expires_at) * 1000)::float8
  FROM tenant_keys key
  JOIN tenants tenant ON tenant.id = key.tenant_id
  JOIN workspaces workspace ON workspace.id = tenant.workspace_id
  JOIN workspaces payer ON payer.id = coalesce(key.subscriber_workspace_id, tenant.workspace_id)
  WHERE key.fingerprint = wanted_fingerprint AND key.kind = wanted_kind
    AND key.revoked_at IS NULL AND tenant.disabled_at IS NULL
$$;

-- Keys of any tenant were used.
CREATE FUNCTION guildhall_touch_keys(used uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE tenant_keys SET last_used_at = now() WHERE id = ANY(used)
$$;

-- The keys of others that the scope's workspace pays for. Keys of its own tenants are billed to it in any case.
CREATE FUNCTION guildhall_paid_keys()
RETURNS TABLE (
  id uuid, name text, prefix text, "tenantId" uuid, "tenantName" text, "workspaceId" uuid, "agreedBy" uuid,
  "agreedAt" timestamptz, "expiresAt" timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT key.id, key.name, key.prefix, key.tenant_id, tenant.name, tenant.workspace_id, key.subscriber_agreed_by,
         key.subscriber_agreed_at, key.expires_at
  FROM tenant_keys key JOIN tenants tenant ON tenant.id = key.tenant_id
  WHERE key.subscriber_workspace_id = guildhall_workspace() AND tenant.workspace_id <> guildhall_workspace()
    AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())
$$;

-- Ends agreements of the scope's workspace to pay for keys of others: that of one key, or all that one account made. Keys that
-- nobody can use keep theirs. The wanted key can be one of them.
CREATE FUNCTION guildhall_end_agreements(wanted_key uuid, agreed_by uuid)
RETURNS TABLE ("keyId" uuid, prefix text, "tenantId" uuid, "ownWorkspaceId" uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE tenant_keys key
  SET subscriber_workspace_id = NULL, subscriber_agreement_id = NULL, subscriber_agreed_by = NULL, subscriber_agreed_at = NULL
  FROM tenants tenant
  WHERE tenant.id = key.tenant_id AND key.subscriber_workspace_id = guildhall_workspace()
    AND (key.subscriber_agreement_id = (SELECT subscriber_agreement_id FROM tenant_keys WHERE id = wanted_key)
         OR key.subscriber_agreed_by = agreed_by)
    AND tenant.workspace_id <> guildhall_workspace()
    AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())
  RETURNING key.id, key.prefix, key.tenant_id, tenant.workspace_id
$$;

-- The account that has owned a workspace for longest, which shares places and turns with all of its workspaces. A workspace without an
-- owner, and one of a platform administrator, counts alone.
CREATE FUNCTION guildhall_owner_of_workspace(workspace uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce((
    SELECT CASE WHEN account.is_platform_admin THEN workspace ELSE account.id END
    FROM memberships membership
    CROSS JOIN LATERAL (SELECT id, is_platform_admin FROM accounts WHERE id = membership.account_id OFFSET 0) account
    WHERE membership.workspace_id = workspace AND membership.role = 'owner'
    ORDER BY membership.created_at, account.id LIMIT 1), workspace)
$$;

-- The owner of the large reads of a tenant or a workspace. If the workspace counts alone, its tenants do, too.
CREATE FUNCTION guildhall_owner_of_reads(reader uuid) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT CASE WHEN owner = workspace THEN reader ELSE owner END
  FROM (SELECT coalesce((SELECT workspace_id FROM tenants WHERE id = reader), reader) AS workspace OFFSET 0) place
  CROSS JOIN LATERAL (SELECT guildhall_owner_of_workspace(place.workspace) AS owner OFFSET 0) found
$$;

REVOKE EXECUTE ON FUNCTION guildhall_find_account, guildhall_has_accounts, guildhall_has_platform_admin,
  guildhall_find_account_session, guildhall_ended_account_sessions, guildhall_find_account_token, guildhall_share_team,
  guildhall_find_role, guildhall_team_recipients, guildhall_find_invitation, guildhall_count_invitations_to,
  guildhall_count_invitations_by, guildhall_find_key, guildhall_touch_keys, guildhall_paid_keys, guildhall_end_agreements,
  guildhall_owner_of_workspace, guildhall_owner_of_reads FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_account, guildhall_has_accounts, guildhall_has_platform_admin,
  guildhall_find_account_session, guildhall_ended_account_sessions, guildhall_find_account_token, guildhall_share_team,
  guildhall_find_role, guildhall_team_recipients, guildhall_find_invitation, guildhall_count_invitations_to,
  guildhall_count_invitations_by, guildhall_find_key, guildhall_touch_keys, guildhall_paid_keys, guildhall_end_agreements,
  guildhall_owner_of_reads TO guildhall_app;
