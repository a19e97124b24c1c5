-- Players, their sign-in methods and devices, and what a tenant knows of them. One person has one profile in all tenants. What
-- happens in a tenant is visible in that tenant only.

CREATE TABLE players (
  id                 uuid PRIMARY KEY,
  display_name       text,
  avatar_url         text,                          -- may be an address elsewhere
  avatar_name        text,                          -- the picture that we keep, by its name in the storage
  email              text,
  platform_role      text NOT NULL DEFAULT 'User',
  profile_visibility text NOT NULL DEFAULT 'limited' CHECK (profile_visibility IN ('private', 'limited', 'full')),
  is_active          boolean NOT NULL DEFAULT true,
  is_back_merged     boolean NOT NULL DEFAULT false,
  merged_into_id     uuid REFERENCES players,
  created_at         timestamptz NOT NULL,
  search_name        text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (guildhall_search_form(coalesce(display_name, ''))) STORED,
  CONSTRAINT players_search_name UNIQUE (id, search_name)
);
CREATE INDEX ON players (merged_into_id) WHERE merged_into_id IS NOT NULL;

-- The player of the scope and all profiles that were merged into theirs: ledger rows keep the id that they were written with. It
-- runs as the owner, because the policy of players calls it.
CREATE FUNCTION guildhall_person() RETURNS uuid[]
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH RECURSIVE person AS (
    SELECT guildhall_player() AS id
    UNION
    SELECT absorbed.id FROM person JOIN players absorbed ON absorbed.merged_into_id = person.id)
  SELECT array_agg(id) FROM person
$$;

-- A tenant looks profiles up by their ids, and a sign-in finds them by an identity. Their visibility is a rule of the application,
-- so guildhall_app sees all rows. A player sees one person. The sub-select calls the function once and not for each row.
CALL guildhall_isolate('players', 'true');
CREATE POLICY own_rows ON players TO guildhall_player USING (id = ANY ((SELECT guildhall_person())::uuid[]));

-- Locks profiles until the transaction ends, in the order of their ids.
CREATE FUNCTION guildhall_lock_profiles(profiles uuid[]) RETURNS SETOF players
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM players WHERE id = ANY(profiles) ORDER BY id FOR NO KEY UPDATE
$$;

-- Closes a profile. Points it, and all profiles that were merged into it before, to the player of the scope.
CREATE FUNCTION guildhall_absorb_profile(source uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE players SET merged_into_id = guildhall_player() WHERE merged_into_id = source;
  UPDATE players
  SET is_active = false, is_back_merged = true, merged_into_id = guildhall_player()
  WHERE id = source
$$;

-- The identity at the provider decides who a player is. `issuer` separates identities that are unique only within something:
-- the workspace for Mock, the issuer of the token for WalletJwt. It is empty if the provider is one for all.
CREATE TABLE auth_methods (
  id                  uuid PRIMARY KEY,
  player_id           uuid NOT NULL REFERENCES players,
  auth_provider       text NOT NULL,
  issuer              text NOT NULL DEFAULT '',
  provider_user_id    text NOT NULL,
  email               text,
  username            text,
  display_name        text,
  avatar_url          text,
  is_primary          boolean NOT NULL DEFAULT false,
  secret_hash         bytea,                        -- Mock: HMAC of the password
  wallet_address      text,                         -- EIP-55, as a WalletJwt issuer last said it; proves nothing, and nobody is found by it
  -- A method that was linked with a token of a workspace alone, without a proof, is valid in that workspace only. So one studio
  -- cannot take over the players of another. Null: valid everywhere (docs/decisions/0035-proofs-of-identity.md).
  linked_in_workspace uuid,
  linked_at           timestamptz NOT NULL,
  last_used_at        timestamptz,
  UNIQUE (auth_provider, issuer, provider_user_id),
  CONSTRAINT auth_methods_of_player UNIQUE (id, player_id)
) WITH (fillfactor = 80);
CREATE INDEX ON auth_methods (player_id);
-- A player never has two primary methods, also after parallel requests.
CREATE UNIQUE INDEX auth_methods_primary ON auth_methods (player_id) WHERE is_primary;

-- A sign-in finds a method by its identity before the player is known, so guildhall_app sees all rows.
CALL guildhall_isolate('auth_methods', 'true');
CREATE POLICY own_rows ON auth_methods TO guildhall_player USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The method of an identity, also of another player.
CREATE FUNCTION guildhall_find_identity(provider text, identity_issuer text, user_id text)
RETURNS TABLE ("methodId" uuid, "playerId" uuid, "secretHash" bytea)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT id, player_id, secret_hash FROM auth_methods
  WHERE auth_provider = provider AND issuer = identity_issuer AND provider_user_id = user_id
$$;

-- The receipt of a deletion, written in its transaction. It holds no personal data.
CREATE TABLE deletion_receipts (
  player_id            uuid PRIMARY KEY REFERENCES players,
  receipt_id           uuid NOT NULL UNIQUE,
  deleted_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  deleted_by           text NOT NULL CHECK (deleted_by IN ('player', 'account')),
  removed_auth_methods integer NOT NULL,
  erased_sessions      integer NOT NULL,             -- sessions that lost their address
  destroyed_keys       integer NOT NULL              -- sessions that lost the key of their ledger rows
);
CALL guildhall_isolate('deletion_receipts', 'guildhall_platform()');
CREATE POLICY own_rows ON deletion_receipts TO guildhall_player USING (player_id = guildhall_player());

CREATE TABLE devices (
  id                 uuid NOT NULL,
  player_id          uuid NOT NULL REFERENCES players,
  device_fingerprint text NOT NULL,
  platform           text NOT NULL,
  hardware_model     text,
  os_version         text,
  device_name        text,
  is_trusted         boolean NOT NULL DEFAULT false,
  is_blocked         boolean NOT NULL DEFAULT false,
  first_seen_at      timestamptz NOT NULL,
  last_seen_at       timestamptz NOT NULL,
  login_count        integer NOT NULL DEFAULT 1,
  metadata           jsonb NOT NULL DEFAULT '{}',
  created_at_gl      timestamptz NOT NULL,
  updated_at_gl      timestamptz NOT NULL,
  received_at_db     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (player_id, id),
  UNIQUE (player_id, device_fingerprint)
) WITH (fillfactor = 80);

-- At most 50 devices for each player: a login may name any fingerprint, and the list of devices is returned as a whole.
--
-- A trigger, because it is the only place that sees every way to a device (sign-in and merge) and costs nothing when a known device
-- signs in. Each of its statements has a snapshot of its own, taken while the sign-in or the merge holds the lock of the player.
-- So it also sees the devices of sign-ins that committed while this one waited (docs/decisions/0036-device-limit.md).
CREATE FUNCTION guildhall_bound_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Repeated, because a device that was about to be deleted may have been blocked meanwhile.
  WHILE (SELECT count(*) FROM devices WHERE player_id = NEW.player_id) > 50
    AND EXISTS (SELECT FROM devices WHERE player_id = NEW.player_id AND NOT is_blocked)
  LOOP
    DELETE FROM devices
    WHERE player_id = NEW.player_id AND NOT is_blocked AND id IN (
      SELECT id FROM devices
      WHERE player_id = NEW.player_id AND NOT is_blocked
      ORDER BY id = NEW.id, is_trusted, last_seen_at, id
      LIMIT (SELECT count(*) - 50 FROM devices WHERE player_id = NEW.player_id));
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER bound_devices AFTER INSERT OR UPDATE OF player_id ON devices
  FOR EACH ROW EXECUTE FUNCTION guildhall_bound_devices();

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

-- Updates the known device of a sign-in whose player the caller has locked, before the player is in the scope. Returns null if the
-- device is unknown, blocked, or locked by another transaction: then the caller must not write the sign-in.
CREATE FUNCTION guildhall_use_device(player uuid, fingerprint text, new_platform text, new_hardware_model text, new_os_version text,
  new_metadata jsonb, at timestamptz) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  used uuid;
BEGIN
  SELECT id INTO used FROM devices WHERE player_id = player AND device_fingerprint = fingerprint AND NOT is_blocked
  FOR NO KEY UPDATE SKIP LOCKED;
  UPDATE devices SET
    platform = CASE new_platform WHEN 'Unknown' THEN platform ELSE new_platform END,
    hardware_model = coalesce(new_hardware_model, hardware_model),
    os_version = coalesce(new_os_version, os_version),
    metadata = coalesce(nullif(new_metadata, '{}'), metadata),
    last_seen_at = greatest(last_seen_at, at),
    login_count = login_count + 1,
    updated_at_gl = at
  WHERE player_id = player AND id = used;
  RETURN used;
END $$;
REVOKE EXECUTE ON FUNCTION guildhall_use_device FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_use_device TO guildhall_app;

-- Registers the first device of a player whom the same statement has created, before the player is in the scope.
CREATE FUNCTION guildhall_add_first_device(player uuid, device uuid, fingerprint text, new_platform text, new_hardware_model text,
  new_os_version text, new_metadata jsonb, at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO devices (id, player_id, device_fingerprint, platform, hardware_model, os_version, metadata, first_seen_at,
                       last_seen_at, created_at_gl, updated_at_gl)
  SELECT device, player, fingerprint, new_platform, new_hardware_model, new_os_version, coalesce(new_metadata, '{}'), at, at, at, at
  WHERE NOT EXISTS (SELECT FROM devices WHERE player_id = player);
END $$;
REVOKE EXECUTE ON FUNCTION guildhall_add_first_device FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_add_first_device TO guildhall_app;

-- The access record of a player in a tenant. Its row is the lock under which sign-in and ban meet.
CREATE TABLE tenant_access (
  tenant_id             uuid NOT NULL REFERENCES tenants,
  player_id             uuid NOT NULL REFERENCES players,
  tenant_role           text NOT NULL DEFAULT 'player',
  first_seen_at         timestamptz NOT NULL,
  last_seen_at          timestamptz NOT NULL,
  last_seen_hour        timestamptz NOT NULL
    GENERATED ALWAYS AS (date_bin('1 hour', last_seen_at, '2000-01-01 00:00:00+00')) STORED,
  login_count           integer NOT NULL DEFAULT 1,
  hidden_from_discovery boolean NOT NULL DEFAULT false,
  banned_until          timestamptz,                -- null: not banned; infinity: until lifted
  search_name           text COLLATE "C",           -- a copy: a search looks at no players of other tenants
  PRIMARY KEY (tenant_id, player_id),
  -- Keeps the copy equal to the name.
  CONSTRAINT tenant_access_search_name FOREIGN KEY (player_id, search_name)
    REFERENCES players (id, search_name) ON UPDATE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX ON tenant_access (player_id);
-- The list of players in every order (docs/decisions/0026-player-search.md). The order by last_seen_at has an index on the hour
-- only: with an index on the time, every login writes to all indexes of its row, which costs PostgreSQL a third of a login.
CREATE INDEX tenant_access_last_seen ON tenant_access (tenant_id, last_seen_hour);
CREATE INDEX tenant_access_first_seen ON tenant_access (tenant_id, first_seen_at, player_id);
CREATE INDEX tenant_access_name ON tenant_access (tenant_id, search_name, player_id);
CREATE INDEX tenant_access_banned ON tenant_access (tenant_id, banned_until, player_id) WHERE banned_until IS NOT NULL;
CREATE INDEX tenant_access_hidden ON tenant_access (tenant_id, player_id) WHERE hidden_from_discovery;
CALL guildhall_isolate_tenant('tenant_access');
-- A merge moves what belongs to the source. The source is in the scope of the target as soon as it is absorbed. The sub-select
-- makes a query call the function once and not for each row.
CREATE POLICY own_rows ON tenant_access TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- Players read the tenants that they have signed in to.
CREATE POLICY read_visited ON tenants FOR SELECT TO guildhall_player USING (id IN (SELECT tenant_id FROM tenant_access));

-- What players do with their profile is written to the audit trail of every tenant that knows them.
CREATE POLICY write_about_oneself ON audit_records FOR INSERT TO guildhall_player
  WITH CHECK (actor_kind = 'player' AND actor_id = guildhall_player()
              AND tenant_id IN (SELECT tenant_id FROM tenant_access));
-- A deletion takes the addresses out of what the player did. Nothing else of a record ever changes.
CREATE POLICY find_own ON audit_records FOR SELECT TO guildhall_player
  USING (actor_kind = 'player' AND actor_id = ANY ((SELECT guildhall_person())::uuid[]));
CREATE POLICY erase_own ON audit_records FOR UPDATE TO guildhall_player
  USING (actor_kind = 'player' AND actor_id = ANY ((SELECT guildhall_person())::uuid[])) WITH CHECK (ip_address IS NULL);

-- The history of bans. tenant_access.banned_until is the ban in force.
CREATE TABLE player_bans (
  tenant_id  uuid NOT NULL,
  id         uuid NOT NULL,
  player_id  uuid NOT NULL,
  reason     text,
  note       text,
  until      timestamptz,                           -- null: until lifted
  banned_by  uuid NOT NULL,
  banned_at  timestamptz NOT NULL DEFAULT now(),
  lifted_by  uuid,
  lifted_at  timestamptz,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON player_bans (tenant_id, player_id, banned_at DESC, id DESC);
CALL guildhall_isolate_tenant('player_bans');
CREATE POLICY own_rows ON player_bans TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- What the members of a workspace write about a player. It goes with the profile, and is deleted with it.
CREATE TABLE player_notes (
  tenant_id  uuid NOT NULL,
  player_id  uuid NOT NULL,
  id         uuid NOT NULL,                         -- UUIDv7: the order of the list
  text       text NOT NULL,
  author_id  uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, player_id, id)
);
CREATE INDEX ON player_notes (player_id);
CALL guildhall_isolate_tenant('player_notes');
CREATE POLICY own_rows ON player_notes TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The profiles that a tenant knew before they were merged: its matches, events, sessions and audit records keep their ids. The access
-- record of such a profile has moved, so this row is all that says that the tenant knew it.
CREATE TABLE tenant_merged_profiles (
  tenant_id      uuid NOT NULL,
  player_id      uuid NOT NULL,
  merged_into_id uuid NOT NULL,                     -- the remaining profile, also after several merges
  PRIMARY KEY (tenant_id, merged_into_id, player_id),
  UNIQUE (player_id, tenant_id)
);
CALL guildhall_isolate_tenant('tenant_merged_profiles');
CREATE POLICY own_rows ON tenant_merged_profiles TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The identities of banned players as HMACs. So a player who deletes the profile, or unlinks a method, does not come back as
-- somebody new. A row counts while its player is banned from the tenant.
CREATE TABLE ban_fingerprints (
  tenant_id   uuid NOT NULL,
  fingerprint bytea NOT NULL,
  player_id   uuid NOT NULL,
  PRIMARY KEY (tenant_id, fingerprint, player_id)
);
CREATE INDEX ON ban_fingerprints (player_id);
CALL guildhall_isolate_tenant('ban_fingerprints');
CREATE POLICY own_rows ON ban_fingerprints TO guildhall_player
  USING (player_id = ANY ((SELECT guildhall_person())::uuid[]));

-- The sign-in methods that were used in a tenant: the tenant sees no others. The foreign key lets a row follow its method to
-- another player when profiles are merged, and deletes it when the method is unlinked.
CREATE TABLE tenant_sign_in_methods (
  tenant_id      uuid NOT NULL,
  auth_method_id uuid NOT NULL,
  player_id      uuid NOT NULL,
  auth_provider  text NOT NULL,
  search_id      text COLLATE "C" NOT NULL,         -- the provider user id as searches compare it
  search_email   text COLLATE "C",                  -- the email address, if it is not the provider user id
  first_used_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, auth_method_id),
  FOREIGN KEY (auth_method_id, player_id) REFERENCES auth_methods (id, player_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX tenant_sign_in_methods_method ON tenant_sign_in_methods (auth_method_id);
CREATE INDEX tenant_sign_in_methods_id ON tenant_sign_in_methods (tenant_id, search_id, player_id);
CREATE INDEX tenant_sign_in_methods_email ON tenant_sign_in_methods (tenant_id, search_email, player_id)
  WHERE search_email IS NOT NULL;
CREATE INDEX tenant_sign_in_methods_provider ON tenant_sign_in_methods (tenant_id, auth_provider, player_id);
CALL guildhall_isolate_tenant('tenant_sign_in_methods');

-- How many players a tenant has, in total and for each provider: to count a million takes 55 ms. The sum of several rows, one for each
-- connection, so that parallel first sign-ins do not wait for each other.
CREATE TABLE tenant_player_counts (
  tenant_id     uuid NOT NULL,
  auth_provider text NOT NULL DEFAULT '',           -- empty: all players, also those without a sign-in method
  shard         smallint NOT NULL DEFAULT pg_backend_pid() % 64,
  players       integer NOT NULL,                   -- may be negative: another connection may have counted the arrival
  PRIMARY KEY (tenant_id, auth_provider, shard)
) WITH (fillfactor = 50);
CALL guildhall_isolate_tenant('tenant_player_counts');
-- A merge joins the access records of all tenants that the two profiles have been in.
CREATE POLICY merges ON tenant_player_counts TO guildhall_player USING (true);

-- Counts the players of each provider: a player with two methods of a provider is counted once. Triggers, because foreign keys move
-- and delete methods too. A transaction that changes the methods of a player holds the lock of the player. Each statement of a trigger
-- has a snapshot of its own. So it sees the methods of transactions that committed while this one waited.
-- It looks the methods of each player up by their index, so that one statement may add a million.
CREATE FUNCTION guildhall_count_provider_users() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tenant_player_counts AS known (tenant_id, auth_provider, players)
    SELECT tenant_id, auth_provider, count(*) FROM (
      SELECT tenant_id, auth_provider, player_id, count(*) AS methods FROM added
      GROUP BY tenant_id, auth_provider, player_id) player
    WHERE methods = (
      SELECT count(*) FROM tenant_sign_in_methods stored
      WHERE stored.tenant_id = player.tenant_id AND stored.auth_provider = player.auth_provider
        AND stored.player_id = player.player_id)
    GROUP BY tenant_id, auth_provider ORDER BY tenant_id, auth_provider
    ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO tenant_player_counts AS known (tenant_id, auth_provider, players)
    SELECT tenant_id, auth_provider, -count(DISTINCT player_id) FROM removed
    WHERE NOT EXISTS (
      SELECT FROM tenant_sign_in_methods other
      WHERE other.tenant_id = removed.tenant_id AND other.auth_provider = removed.auth_provider
        AND other.player_id = removed.player_id)
    GROUP BY tenant_id, auth_provider ORDER BY tenant_id, auth_provider
    ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players;
  ELSE
    INSERT INTO tenant_player_counts AS known (tenant_id, auth_provider, players)
    SELECT tenant_id, auth_provider, sum(is_user::int - was_user::int) FROM (
      SELECT tenant_id, auth_provider, has_left OR methods > arrived AS was_user, methods > 0 AS is_user FROM (
        SELECT tenant_id, auth_provider, bool_or(was) AS has_left, count(*) FILTER (WHERE NOT was) AS arrived, (
                 SELECT count(*) FROM tenant_sign_in_methods stored
                 WHERE stored.tenant_id = moved.tenant_id AND stored.auth_provider = moved.auth_provider
                   AND stored.player_id = moved.player_id) AS methods
        FROM (SELECT *, true AS was FROM removed UNION ALL SELECT *, false FROM added) moved
        GROUP BY tenant_id, auth_provider, player_id) counted) player
    GROUP BY tenant_id, auth_provider HAVING sum(is_user::int - was_user::int) <> 0 ORDER BY tenant_id, auth_provider
    ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added_users AFTER INSERT ON tenant_sign_in_methods
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guildhall_count_provider_users();
CREATE TRIGGER count_removed_users AFTER DELETE ON tenant_sign_in_methods
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION guildhall_count_provider_users();
CREATE TRIGGER count_moved_users AFTER UPDATE ON tenant_sign_in_methods
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION guildhall_count_provider_users();
-- The triggers run as the owner.
CREATE POLICY owner_works ON tenant_sign_in_methods TO CURRENT_USER USING (true);
CREATE POLICY owner_works ON tenant_player_counts TO CURRENT_USER USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON players, auth_methods, devices, tenant_access, player_bans, tenant_player_counts
  TO guildhall_app;
GRANT SELECT, INSERT, DELETE ON ban_fingerprints TO guildhall_app;
GRANT SELECT, INSERT ON tenant_sign_in_methods TO guildhall_app;
GRANT SELECT ON tenant_merged_profiles TO guildhall_app;

-- Players change their own profile, and merge others into it.
GRANT SELECT, UPDATE ON players TO guildhall_player;
GRANT SELECT, UPDATE, DELETE ON devices TO guildhall_player;
GRANT SELECT, INSERT, UPDATE, DELETE ON auth_methods, tenant_access TO guildhall_player;
GRANT SELECT, UPDATE (player_id) ON player_bans TO guildhall_player;
GRANT SELECT, INSERT, DELETE ON player_notes TO guildhall_app;
GRANT SELECT (player_id), UPDATE (player_id), DELETE ON player_notes TO guildhall_player;
GRANT SELECT, INSERT, DELETE ON ban_fingerprints TO guildhall_player;
GRANT SELECT, INSERT, UPDATE (merged_into_id) ON tenant_merged_profiles TO guildhall_player;
GRANT SELECT, INSERT, UPDATE ON tenant_player_counts TO guildhall_player;
GRANT INSERT, SELECT (id, actor_kind, actor_id, ip_address), UPDATE (ip_address) ON audit_records TO guildhall_player;
GRANT SELECT ON deletion_receipts TO guildhall_app;
GRANT SELECT, INSERT ON deletion_receipts TO guildhall_player;

-- These see other players.
REVOKE EXECUTE ON FUNCTION guildhall_lock_profiles, guildhall_absorb_profile, guildhall_find_identity FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guildhall_lock_profiles, guildhall_absorb_profile, guildhall_find_identity TO guildhall_player;
