import { LARGEST_PAGE } from '../components/paging';
import { api } from './client';
import { createdKey, KEY_LISTS, newestKey, type KeyKind } from './created-keys';

/** What the API reference fills in: server/src/http/openapi/api-reference.ts. */
interface Filling {
  type: 'guildhall-reference';
  tenantId: string;
  gameKey: string;
  apiKey: string;
}

/**
 * Opens the API reference in a new tab, filled in with the game and its keys. A key is whole if this tab has created it. Otherwise it
 * is the prefix of the newest key. The values are sent once, as a message, so they are in no URL, history or storage. Only the tab that
 * this call opened gets them, and only if it has the origin of the console.
 */
export function openApiReference(tenantId: string | undefined): void {
  const reference = window.open('/docs/', '_blank');
  if (!reference || tenantId === undefined) return;
  const answer = ({ origin, source, data }: MessageEvent): void => {
    if (origin !== location.origin || source !== reference) return;
    if ((data as { type?: unknown } | null)?.type !== 'guildhall-reference-ready') return;
    window.removeEventListener('message', answer);
    reference.postMessage({ type: 'guildhall-reference-soon' }, location.origin);
    void fillingOf(tenantId).then((filling) => reference.postMessage(filling, location.origin));
  };
  window.addEventListener('message', answer);
}

async function fillingOf(tenantId: string): Promise<Filling> {
  const [gameKey, apiKey] = await Promise.all([keyOf(tenantId, 'game'), keyOf(tenantId, 'api')]);
  return { type: 'guildhall-reference', tenantId, gameKey, apiKey };
}

/** A key that this tab has created, the prefix of the newest other one, or nothing. */
async function keyOf(tenantId: string, kind: KeyKind): Promise<string> {
  const held = createdKey(tenantId, kind);
  if (held !== undefined) return held;
  const params = { path: { tenantId }, query: { limit: LARGEST_PAGE } };
  const list = await api.GET(KEY_LISTS[kind], { params }).catch(() => undefined);
  return newestKey(list?.items ?? [])?.prefix ?? '';
}
