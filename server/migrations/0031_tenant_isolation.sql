-- Row-level security for the tables of workspaces, accounts and tenants. A statement that forgets its predicate finds only rows
-- of its scope. What must be found before a scope is known is found by functions that take the exact key.
--
-- The functions run as the owner of the tables, which is subject to forced row-level security too. It has a policy of its own,
-- because the server of DATABASE_URL need not let it bypass row-level security.

CREATE PROCEDURE guildhall_isolate(target regclass, condition text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY owner_works ON %s TO CURRENT_USER USING (true)', target);
  EXECUTE format('CREATE POLICY isolation ON %s TO guildhall_app USING (%s)', target, condition);
END $$;

-- The account that the running transaction acts for; null outside of such a scope.
CREATE FUNCTION guildhall_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('guildhall.account_id', true), '')::uuid;

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

-- Ends agreements of the scope's workspace to pay for keys of others: about one key, or all that one account made.
CREATE FUNCTION guildhall_end_agreements(wanted_key uuid, agreed_by uuid)
RETURNS TABLE ("keyId" uuid, prefix text, "tenantId" uuid, "ownWorkspaceId" uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE tenant_keys key
  SET subscriber_workspace_id = NULL, subscriber_agreed_by = NULL, subscriber_agreed_at = NULL
  FROM tenants tenant
  WHERE tenant.id = key.tenant_id AND key.subscriber_workspace_id = guildhall_workspace()
    AND (key.id = wanted_key OR key.subscriber_agreed_by = agreed_by) AND tenant.workspace_id <> guildhall_workspace()
  RETURNING key.id, key.prefix, key.tenant_id, tenant.workspace_id
$$;

-- Webhooks: those of a workspace in its scope, those of the deployment and the work of the worker in the platform's.
CALL guildhall_isolate('webhook_endpoints', 'workspace_id = guildhall_workspace() OR guildhall_platform()');
-- Whoever sees an endpoint sees its deliveries.
CALL guildhall_isolate('webhook_deliveries',
  'guildhall_platform() OR EXISTS (SELECT FROM webhook_endpoints endpoint WHERE endpoint.id = endpoint_id)');
CALL guildhall_isolate('webhook_attempts',
  'guildhall_platform() OR EXISTS (SELECT FROM webhook_deliveries delivery WHERE delivery.id = delivery_id)');
-- An event is published in whatever scope it happens.
CREATE POLICY publish ON webhook_deliveries FOR INSERT TO guildhall_app WITH CHECK (true);

-- The enabled endpoints that want an event of a workspace or tenant. They cannot be deleted until the transaction ends.
CREATE FUNCTION guildhall_webhook_subscribers(wanted_type text, workspace uuid, tenant uuid) RETURNS SETOF uuid
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id FROM webhook_endpoints
  WHERE (workspace_id = workspace OR workspace_id IS NULL) AND (tenant_id = tenant OR tenant_id IS NULL)
    AND (wanted_type = ANY(event_types) OR event_types IS NULL) AND disabled_at IS NULL
  ORDER BY id FOR KEY SHARE
$$;

-- Notifications: read by their account, written in whatever scope something happens, deleted by the worker.
CALL guildhall_isolate('notifications', 'account_id = guildhall_account() OR guildhall_platform()');
CREATE POLICY notify ON notifications FOR INSERT TO guildhall_app WITH CHECK (true);
CALL guildhall_isolate('notification_counts', 'account_id = guildhall_account()');
-- The counts are written by the trigger alone.
ALTER FUNCTION guildhall_place_notification SECURITY DEFINER SET search_path = public, pg_temp;
REVOKE INSERT, UPDATE, DELETE ON notification_counts FROM guildhall_app;

REVOKE EXECUTE ON FUNCTION guildhall_find_key, guildhall_touch_keys, guildhall_end_agreements,
  guildhall_webhook_subscribers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_key, guildhall_touch_keys, guildhall_end_agreements,
  guildhall_webhook_subscribers TO guildhall_app;

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
RETURNS TABLE ("accountId" uuid, email text, "workspaceName" text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT account.id, account.email, team.name
  FROM memberships membership
  JOIN accounts account ON account.id = membership.account_id
  JOIN workspaces team ON team.id = membership.workspace_id
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

-- The invitations of the last day over all workspaces, and the seconds until the first of them is a day old.
CREATE FUNCTION guildhall_count_invitations_to(address text) RETURNS TABLE (count bigint, seconds integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 day' - now())))::int
  FROM invitations WHERE email = address AND created_at > now() - interval '1 day'
$$;
CREATE FUNCTION guildhall_count_invitations_by(account uuid) RETURNS TABLE (count bigint, seconds integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 day' - now())))::int
  FROM invitations WHERE invited_by = account AND created_at > now() - interval '1 day'
$$;

-- Accounts: one's own. Whoever sees a membership reads its account.
CALL guildhall_isolate('accounts', 'id = guildhall_account()');
CREATE POLICY read_in_team ON accounts FOR SELECT TO guildhall_app
  USING (guildhall_platform() OR EXISTS (SELECT FROM memberships membership WHERE membership.account_id = accounts.id));

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
  'guildhall_platform() OR EXISTS (SELECT FROM account_sessions session WHERE session.id = session_id)');
-- A login inserts the session in the same statement, which cannot see it yet.
CREATE POLICY issue ON account_refresh_tokens FOR INSERT TO guildhall_app WITH CHECK (guildhall_account() IS NOT NULL);
CALL guildhall_isolate('account_tokens', 'account_id = guildhall_account() OR guildhall_platform()');
CALL guildhall_isolate('account_totp', 'account_id = guildhall_account() OR guildhall_platform()');
CALL guildhall_isolate('account_recovery_codes', 'account_id = guildhall_account()');

-- The session that a refresh token was issued for, whether or not it still works.
CREATE FUNCTION guildhall_find_account_session(wanted_hash bytea) RETURNS TABLE ("sessionId" uuid, "accountId" uuid)
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

-- Warnings of usage are written by the worker.
CALL guildhall_isolate('usage_warnings', 'workspace_id = guildhall_workspace() OR guildhall_platform()');

REVOKE EXECUTE ON FUNCTION guildhall_find_role, guildhall_team_recipients, guildhall_find_invitation,
  guildhall_count_invitations_to, guildhall_count_invitations_by, guildhall_find_account, guildhall_has_accounts,
  guildhall_has_platform_admin, guildhall_find_account_session, guildhall_ended_account_sessions,
  guildhall_find_account_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_role, guildhall_team_recipients, guildhall_find_invitation,
  guildhall_count_invitations_to, guildhall_count_invitations_by, guildhall_find_account, guildhall_has_accounts,
  guildhall_has_platform_admin, guildhall_find_account_session, guildhall_ended_account_sessions,
  guildhall_find_account_token TO guildhall_app;

-- Portal sessions: those of one person. A sign-in opens one before a scope is known, and reads nothing back.
CALL guildhall_isolate('portal_sessions', 'player_id = guildhall_player() OR guildhall_platform()');
CREATE POLICY open ON portal_sessions FOR INSERT TO guildhall_app WITH CHECK (true);
CREATE POLICY own_rows ON portal_sessions TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));
CALL guildhall_isolate('portal_refresh_tokens',
  'guildhall_platform() OR EXISTS (SELECT FROM portal_sessions session WHERE session.id = session_id)');
CREATE POLICY issue ON portal_refresh_tokens FOR INSERT TO guildhall_app WITH CHECK (true);
CREATE POLICY own_rows ON portal_refresh_tokens TO guildhall_player
  USING (EXISTS (SELECT FROM portal_sessions session WHERE session.id = session_id));
GRANT SELECT, INSERT, UPDATE ON portal_refresh_tokens TO guildhall_player;

-- The session that a refresh token was issued for, whether or not it still works.
CREATE FUNCTION guildhall_find_portal_session(wanted_hash bytea) RETURNS TABLE ("sessionId" uuid, "playerId" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT session.id, session.player_id
  FROM portal_refresh_tokens token JOIN portal_sessions session ON session.id = token.session_id
  WHERE token.token_hash = wanted_hash
$$;
REVOKE EXECUTE ON FUNCTION guildhall_find_portal_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_portal_session TO guildhall_app;

-- Devices: those of one person. A sign-in has the player in its scope beside the tenant.
CALL guildhall_isolate('devices', 'player_id = guildhall_player()');
CREATE POLICY own_rows ON devices TO guildhall_player USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The device from which a player signs in, before the player is in the scope.
CREATE FUNCTION guildhall_find_device(player uuid, fingerprint text) RETURNS TABLE (id uuid, is_blocked boolean)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id, is_blocked FROM devices WHERE player_id = player AND device_fingerprint = fingerprint
$$;
REVOKE EXECUTE ON FUNCTION guildhall_find_device FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_device TO guildhall_app;

-- Tenants: in their own scope, and in that of their workspace. Players read those that they have signed in to.
CALL guildhall_isolate('tenants',
  'id = guildhall_tenant() OR workspace_id = guildhall_workspace() OR guildhall_platform()');
CREATE POLICY read_visited ON tenants FOR SELECT TO guildhall_player USING (id IN (SELECT tenant_id FROM tenant_access));

-- Workspaces: in their own scope; read in the scope of a tenant, and by members.
CALL guildhall_isolate('workspaces', 'id = guildhall_workspace() OR guildhall_platform()');
CREATE POLICY read_by_members ON workspaces FOR SELECT TO guildhall_app
  USING (id = (SELECT workspace_id FROM tenants WHERE id = guildhall_tenant())
         OR id IN (SELECT workspace_id FROM memberships WHERE account_id = guildhall_account()));

-- The keys of others that the scope's workspace pays for. Keys of its own tenants are billed to it in any case.
CREATE FUNCTION guildhall_paid_keys()
RETURNS TABLE (
  id uuid, name text, prefix text, "tenantId" uuid, "tenantName" text, "workspaceId" uuid, "agreedBy" uuid,
  "agreedAt" timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT key.id, key.name, key.prefix, key.tenant_id, tenant.name, tenant.workspace_id, key.subscriber_agreed_by,
         key.subscriber_agreed_at
  FROM tenant_keys key JOIN tenants tenant ON tenant.id = key.tenant_id
  WHERE key.subscriber_workspace_id = guildhall_workspace() AND tenant.workspace_id <> guildhall_workspace()
    AND key.revoked_at IS NULL
$$;
-- Keeps the team of another workspace as it is until the transaction ends.
CREATE FUNCTION guildhall_share_team(workspace uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT FROM workspaces WHERE id = workspace FOR SHARE
$$;
REVOKE EXECUTE ON FUNCTION guildhall_paid_keys, guildhall_share_team FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_paid_keys, guildhall_share_team TO guildhall_app;
