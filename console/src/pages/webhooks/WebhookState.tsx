import { State } from '../../components/State';
import type { Delivery, Webhook } from './queries';

const REASONS = { by_hand: 'Disabled', gone: 'Disabled: answered 410', failing: 'Disabled: failed for days' };

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <State tone="bad">{REASONS[webhook.disabledReason ?? 'by_hand']}</State>;
  return webhook.failingSince === null ? (
    <State tone="good">Active</State>
  ) : (
    <State tone="warn">Failing</State>
  );
}

type AttemptedDelivery = Pick<Delivery, 'status' | 'lastError'>;

export function DeliveryState({ delivery: { status, lastError } }: { delivery: AttemptedDelivery }) {
  if (status === 'delivered') return <State tone="good">Delivered</State>;
  if (status === 'failed') return <State tone="bad">Failed</State>;
  return lastError === null ? <State tone="info">Pending</State> : <State tone="warn">Retrying</State>;
}
