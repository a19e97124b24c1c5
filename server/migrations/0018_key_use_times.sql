-- The last use of a key got the time at which it was written, up to 30 seconds later. So a key that somebody had revoked looked as if it had
-- been used after that. The servers now say when each key was used. The function with one parameter stays for processes of the
-- previous version that still run.

CREATE FUNCTION guildhall_touch_keys(used uuid[], used_at timestamptz[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE tenant_keys key
  SET last_used_at = greatest(key.last_used_at, least(use.at, now()))
  FROM unnest(used, used_at) use (id, at)
  WHERE key.id = use.id
$$;

REVOKE EXECUTE ON FUNCTION guildhall_touch_keys(uuid[], timestamptz[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_touch_keys(uuid[], timestamptz[]) TO guildhall_app;
