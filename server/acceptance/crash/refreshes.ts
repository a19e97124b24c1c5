import { setTimeout as sleep } from 'node:timers/promises';
import type { Sent } from '../audit-history.ts';
import { eventually } from '../eventually.ts';
import { signIn } from '../http.ts';
import { post, type Scene } from './scene.ts';

/** A client that exchanges its refresh token again and again, over all crashes. */
export interface RefreshChain {
  sessionId: string;
  /** The newest refresh token that an answer contained. */
  token: string;
  /** The exchanges of the session so far. */
  count: number;
  /** The last exchange: its token and its notes. */
  last: { token: string; note: Sent } | undefined;
}

/** Signs a player in, whose session is not part of the history. */
export async function startRefreshChain(url: string, gameKey: string, number: number): Promise<RefreshChain> {
  const { sessionId, refreshToken } = await signIn(url, gameKey, `refresher-${number}`);
  return { sessionId, token: refreshToken, count: 0, last: undefined };
}

/** Exchanges the token until the round is over, the server is gone, or it refuses the token. */
export async function refreshRepeatedly(scene: Scene, chain: RefreshChain): Promise<void> {
  while (!scene.over.aborted) {
    let status = await refreshOnce(scene, chain);
    while (status !== undefined && status >= 500 && !scene.over.aborted) {
      await sleep(50);
      status = await repeatOnce(scene, chain);
    }
    if (status === undefined || status >= 400) return;
  }
}

/** Exchanges the token of the last answer. Returns the status, or undefined if no answer arrived. */
export async function refreshOnce(scene: Scene, chain: RefreshChain): Promise<number | undefined> {
  const batch = ++chain.count;
  // The earlier successor is used now. This one is the only valid token of the session.
  if (chain.last) chain.last.note.content = 'used';
  const note: Sent = {
    kind: 'refresh',
    key: `${chain.sessionId}-${batch}`,
    tenant: scene.tenant,
    content: 'valid',
    client: `refreshes of ${chain.sessionId}`,
    batch,
    acknowledgedAt: undefined,
    units: 1,
    answers: [],
  };
  scene.sent.push(note);
  chain.last = { token: chain.token, note };
  return exchange(scene, chain.last, chain);
}

/** Repeats the last exchange, whether or not its answer arrived, until an answer arrives. */
export async function repeatRefresh(scene: Scene, chain: RefreshChain): Promise<void> {
  if (!chain.last) return;
  // The first requests after a crash may get a 503.
  await eventually(async () => ((await repeatOnce(scene, chain)) ?? 500) < 500);
}

async function repeatOnce(scene: Scene, chain: RefreshChain): Promise<number | undefined> {
  const at = Date.now();
  const status = await exchange(scene, chain.last!, chain);
  if (status !== undefined && status < 300) (chain.last!.note.repeatedAt ??= []).push(at);
  return status;
}

async function exchange(
  scene: Scene,
  { token, note }: NonNullable<RefreshChain['last']>,
  chain: RefreshChain,
): Promise<number | undefined> {
  const parts = { body: { refreshToken: token }, headers: { 'idempotency-key': note.key } };
  const answer = await post(scene, '/api/player-auth/refresh', parts);
  if (!answer || answer.status >= 500) return answer?.status;
  if (answer.status >= 400) {
    note.isRefused = true;
    return answer.status;
  }
  const { sessionId, refreshToken } = answer.body;
  note.acknowledgedAt ??= Date.now();
  note.answers!.push(`${sessionId} ${refreshToken}`);
  chain.token = refreshToken;
  return answer.status;
}
