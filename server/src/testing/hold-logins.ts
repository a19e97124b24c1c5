import { eventually } from './eventually.ts';
import type { TestApp } from './test-app.ts';

/** The advisory lock that logins wait for. The number is arbitrary. */
const LOCK = 4711;

/** Logins that wait before their last step and hold all row locks of a login. */
interface HeldLogins {
  /** Waits until one login waits. */
  arrival(): Promise<void>;
  /** Lets the logins continue. */
  release(): Promise<void>;
}

/** The step of a login that waits: it stores its refresh token, or it updates a known device. */
const triggers = {
  token: 'BEFORE INSERT ON refresh_tokens FOR EACH ROW',
  device: 'BEFORE UPDATE ON devices FOR EACH ROW WHEN (NEW.login_count > OLD.login_count)',
};

/** Makes every login of an app wait in one of its steps. */
export async function holdLogins(
  { owner }: Pick<TestApp, 'owner'>,
  step: keyof typeof triggers = 'token',
): Promise<HeldLogins> {
  const holder = await owner.connect();
  await holder.query(`
    CREATE OR REPLACE FUNCTION hold_login() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${LOCK});
      RETURN NEW;
    END $$;
    CREATE OR REPLACE TRIGGER hold_login ${triggers[step]} EXECUTE FUNCTION hold_login()`);
  await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
  return {
    arrival: () =>
      eventually(async () => {
        const { rowCount } = await owner.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return rowCount === 1;
      }),
    async release() {
      await holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
      holder.release();
    },
  };
}
