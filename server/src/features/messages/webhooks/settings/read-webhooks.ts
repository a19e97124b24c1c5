import type { Database } from '../../../../database/database.ts';
import { readPage, type PageRequest } from '../../../../core/page.ts';
import type { Role } from '../../../../core/role.ts';
import {
  countWebhooks,
  listWebhooks,
  scopeOfOwner,
  type Webhook,
  type WebhookRef,
  type WebhookOwner,
} from '../queries.ts';
import { readWebhook } from '../require-webhook.ts';

/** Reads a page of the webhooks of a workspace or of the deployment, as a role may see them. */
export async function readWebhooks(
  database: Database,
  owner: WebhookOwner,
  page: PageRequest,
  role: Role | null,
) {
  const db = scopeOfOwner(database, owner);
  const { items, ...rest } = await readPage(page, listWebhooks(db, owner, page), countWebhooks(db, owner));
  return { ...rest, items: items.map((webhook) => asSeenBy(role, webhook)) };
}

/** Reads a webhook as a role may see it. Throws `not_found`. */
export async function readWebhookAs(
  database: Database,
  ref: WebhookRef,
  role: Role | null,
): Promise<Webhook> {
  return asSeenBy(role, await readWebhook(scopeOfOwner(database, ref), ref));
}

/** A viewer sees the origin of the URL only, because path and query may contain a token. */
function asSeenBy(role: Role | null, webhook: Webhook): Webhook {
  return role === 'viewer' ? { ...webhook, url: new URL(webhook.url).origin } : webhook;
}
