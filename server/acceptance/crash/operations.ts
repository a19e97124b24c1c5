import assert from 'node:assert/strict';
import type { Sent } from '../audit-history.ts';
import { eventually } from '../eventually.ts';
import type { Answer } from '../http.ts';
import { post, type Scene } from './scene.ts';

/** How many clients send each kind of operation that is independent of earlier ones. */
const CLIENTS = { event: 4, 'sign-in': 8, match: 2, 'wallet entry': 1 } as const;
type OperationKind = keyof typeof CLIENTS;

/** A request that creates rows, and what each of them must contain. */
interface Request {
  path: string;
  body: object;
  entries: { key: string; content: string }[];
}

/** Sends operations of all kinds until the round is over or the server is gone. */
export async function sendOperations(scene: Scene, round: number): Promise<void> {
  const clients = Object.entries(CLIENTS).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, client) =>
      sendRepeatedly(scene, kind as OperationKind, `${kind}-${round}-${client}`),
    ),
  );
  await Promise.all(clients);
}

async function sendRepeatedly(scene: Scene, kind: OperationKind, client: string): Promise<void> {
  for (let batch = 0; !scene.over.aborted; batch++) {
    const request = requestOf(kind, client, batch, scene);
    const notes = request.entries.map((entry): Sent => ({
      kind,
      tenant: scene.tenant,
      client,
      batch,
      acknowledgedAt: undefined,
      units: 1,
      ...entry,
    }));
    for (const note of notes) scene.sent.push(note);
    const answer = await post(scene, request.path, { body: request.body, bearer: bearerOf(kind, scene) });
    // The connection broke, so the client does not know whether it was stored.
    if (!answer) return;
    if (answer.status < 300) for (const note of notes) note.acknowledgedAt = Date.now();
    else if (answer.status < 500) for (const note of notes) note.isRefused = true;
  }
}

/** Creates the request of a client. Batches of events are on both sides of the COPY threshold. */
function requestOf(kind: OperationKind, client: string, number: number, { player }: Scene): Request {
  const key = `${client}-${number}`;
  switch (kind) {
    case 'event': {
      const occurredAt = new Date().toISOString();
      const entries = Array.from({ length: [1, 7, 100, 1_000][number % 4]! }, (_, index) => ({
        key: `${key}-${index}`,
        content: `${player.playerId} survived ${index} at ${occurredAt}`,
      }));
      const events = entries.map(({ key: idempotencyKey }, value) => ({
        playerId: player.playerId,
        eventKey: 'survived',
        value,
        idempotencyKey,
        occurredAt,
      }));
      return { path: '/api/game/player-events', body: { events }, entries };
    }
    case 'sign-in':
      return {
        path: '/api/player-auth/login',
        body: {
          provider: 'Mock',
          token: `mock:${client.replace(/-\d+-/, '-')}:secret`,
          clientInfo: { platform: 'PC_Windows', clientBuild: key },
        },
        entries: [{ key, content: 'PC_Windows' }],
      };
    case 'match':
      return {
        path: '/api/game/matches',
        body: { players: [{ playerId: player.playerId }], mode: key },
        entries: [{ key, content: player.playerId }],
      };
    case 'wallet entry': {
      const playerAddress = `0x${Buffer.from(key).toString('hex').slice(-40).padStart(40, '1')}`;
      return {
        path: '/api/BlockchainStorage/players/add/anon',
        body: { playerId: key, playerAddress, signInPassword: 'correct horse' },
        entries: [{ key, content: playerAddress.toLowerCase() }],
      };
    }
  }
}

const bearerOf = (kind: OperationKind, { player }: Scene): string | undefined =>
  kind === 'event' ? player.accessToken : undefined;

/** Sends each batch of events without an answer again. Now it is stored, or it was stored before. */
export async function resendEvents(scene: Scene): Promise<void> {
  const unsure = scene.sent.filter(
    ({ kind, acknowledgedAt }) => kind === 'event' && acknowledgedAt === undefined,
  );
  for (const notes of Map.groupBy(unsure, ({ client, batch }) => `${client}-${batch}`).values()) {
    const events = notes.map(({ key, content }) => {
      const [, playerId, value, occurredAt] = /^(\S+) survived (\d+) at (\S+)$/.exec(content)!;
      return { playerId, eventKey: 'survived', value: Number(value), idempotencyKey: key, occurredAt };
    });
    let answer: Answer | undefined;
    // The first requests after a crash may get a 503.
    await eventually(async () => {
      answer = await post(scene, '/api/game/player-events', {
        body: { events },
        bearer: scene.player.accessToken,
      });
      return answer !== undefined && answer.status < 500;
    });
    const status = answer?.status ?? 0;
    assert.ok([201, 422].includes(status), `a batch sent again answers ${status}`);
    const { records, duplicateCount } = answer!.body;
    assert.equal(records.length + duplicateCount, notes.length);
    for (const note of notes)
      Object.assign(note, { acknowledgedAt: Date.now(), client: `${note.client} again` });
  }
}
