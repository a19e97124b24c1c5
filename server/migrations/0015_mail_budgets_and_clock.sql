-- A budget of mails also begins anew if it begins more than a day in the future: the clock of PostgreSQL was wrong, and was set back.
-- Otherwise a full budget would stop all notices until that day has passed.
CREATE OR REPLACE FUNCTION guildhall_count_mail() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_budgets AS known (budget, since, sent) VALUES (NEW.budget, now(), 1)
  ON CONFLICT (budget) DO UPDATE SET
    since = CASE WHEN known.since BETWEEN now() - interval '1 day' AND now() + interval '1 day' THEN known.since ELSE now() END,
    sent = CASE WHEN known.since BETWEEN now() - interval '1 day' AND now() + interval '1 day' THEN known.sent + 1 ELSE 1 END
  WHERE known.sent < NEW.daily_mails OR known.since NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day';
  IF NOT FOUND THEN
    UPDATE mails SET body = NULL, failed_at = now(), failure = 'Not sent: this address received too many notices today.'
    WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
