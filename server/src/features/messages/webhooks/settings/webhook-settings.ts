import { ProblemError } from '../../../../core/problem.ts';
import { tenantUrlError } from '../../../../outbound/tenant-url.ts';
import type { Webhook, WebhookSettings } from '../queries.ts';

/** The rules for the URLs of webhooks. */
export interface UrlRules {
  allowPrivateAddresses: boolean;
}

/** Throws `webhook_url_refused`. The HTTP client rejects host names that resolve to private addresses. */
export function checkUrl(url: string, rules: UrlRules): void {
  const fault = tenantUrlError(url, { ...rules, allowHttp: true });
  if (fault)
    throw new ProblemError('webhook_url_refused', {
      detail: `The url ${fault}.`,
      members: { errors: [{ path: 'url', message: fault }] },
    });
}

export function settingsOf({ url, description, eventTypes, enabled }: Webhook): WebhookSettings {
  return { url, description, eventTypes, enabled };
}

/** Reduces the URL to its origin, because path and query may contain a token and audit records are never deleted. */
export function toAuditSettings(settings: Partial<WebhookSettings>): Partial<WebhookSettings> {
  return settings.url === undefined ? settings : { ...settings, url: new URL(settings.url).origin };
}
