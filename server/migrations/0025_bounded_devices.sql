-- At most 50 devices for each player: a login may name any fingerprint, and the list of devices is answered whole.
--
-- A trigger, since it is the only place that sees every way to a device (sign-in and merge) and costs nothing when a known device
-- signs in. Each of its statements has a snapshot of its own, taken while the sign-in or the merge holds the lock of the player.
-- So it also sees the devices of sign-ins that committed while this one waited (docs/decisions/0036-device-limit.md).
CREATE FUNCTION guildhall_bound_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Repeated, since a device that was about to be deleted may have been blocked meanwhile.
  WHILE (SELECT count(*) FROM devices WHERE player_id = NEW.player_id) > 50
    AND EXISTS (SELECT FROM devices WHERE player_id = NEW.player_id AND NOT is_blocked)
  LOOP
    DELETE FROM devices
    WHERE NOT is_blocked AND id IN (
      SELECT id FROM devices
      WHERE player_id = NEW.player_id AND NOT is_blocked
      ORDER BY id = NEW.id, is_trusted, last_seen_at, id
      LIMIT (SELECT count(*) - 50 FROM devices WHERE player_id = NEW.player_id));
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER bound_devices AFTER INSERT OR UPDATE OF player_id ON devices
  FOR EACH ROW EXECUTE FUNCTION guildhall_bound_devices();
