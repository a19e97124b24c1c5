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

-- Keys: changed in the scope of their tenant, read in that of its workspace and of the workspace that pays.
CALL guildhall_isolate('tenant_keys', 'tenant_id = guildhall_tenant()');
CREATE POLICY read_in_workspace ON tenant_keys FOR SELECT TO guildhall_app
  USING (subscriber_workspace_id = guildhall_workspace()
         OR tenant_id IN (SELECT id FROM tenants WHERE workspace_id = guildhall_workspace()));

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
