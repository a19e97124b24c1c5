-- A game key can require the access token of a player (docs/decisions/0070-required-player-tokens.md). Existing keys do not: game servers
-- use them alone.

ALTER TABLE tenant_keys ADD COLUMN require_player_token boolean NOT NULL DEFAULT false;

-- The caches of keys read the new column too.
CREATE OR REPLACE TRIGGER notify_change AFTER DELETE
    OR UPDATE OF allow_data_api, require_player_token, requests_per_minute, requests_per_hour, alert_requests_per_minute,
                 alert_bytes_per_minute, subscriber_workspace_id, expires_at, revoked_at ON tenant_keys
  FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('tenant_id');

-- Replaces guildhall_find_key. The old function stays for processes of the previous version that still run: their prepared statements
-- would fail if its columns changed.
CREATE FUNCTION guildhall_find_key_caller(wanted_kind text, wanted_fingerprint bytea)
RETURNS TABLE (
  "keyId" uuid, kind text, "tenantId" uuid, "workspaceId" uuid, "allowDataApi" boolean, "requirePlayerToken" boolean,
  "rateLimit" jsonb, "maxMatchEventsPerRequest" integer, "maxPlayerEventsPerRequest" integer, "alertThresholds" jsonb,
  "payerId" uuid, "payerHasHardStop" boolean, "expiresAtMs" float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT key.id, key.kind, key.tenant_id, tenant.workspace_id, key.allow_data_api, key.require_player_token,
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

REVOKE EXECUTE ON FUNCTION guildhall_find_key_caller FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_find_key_caller TO guildhall_app;
