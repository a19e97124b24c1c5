-- Mails that were sent, or wait to be: written in the transaction that wants them sent, and delivered by a job of the queue
-- (schema pgboss, which the queue's library makes and changes by itself; jobs/queue.ts grants what the application needs).

CREATE TABLE mails (
  id         uuid PRIMARY KEY,                      -- UUIDv7: the order of the outbox
  recipient  text NOT NULL,
  subject    text NOT NULL,                         -- holds no secret
  body       bytea,                                 -- text and HTML, sealed: they hold codes and tokens; null once delivered
  created_at timestamptz NOT NULL DEFAULT now(),
  give_up_at timestamptz NOT NULL,                  -- from then on it would be of no use to its reader
  sent_at    timestamptz,
  failed_at  timestamptz,                           -- refused for good, or given up
  failure    text                                   -- what the mail server said last
);

GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO guildhall_app;
