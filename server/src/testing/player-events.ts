let count = 0;

/** Creates gameplay events of a player, each with its own idempotency key. */
export const someEvents = (playerId: string, number: number) =>
  Array.from({ length: number }, () => ({
    playerId,
    eventKey: 'jump',
    idempotencyKey: `key-${++count}`,
    occurredAt: '2026-11-20T10:00:00Z',
  }));
