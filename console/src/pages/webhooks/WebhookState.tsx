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

export function DeliveryState({ status }: { status: Delivery['status'] }) {
  if (status === 'delivered') return <State tone="good">Delivered</State>;
  return status === 'failed' ? <State tone="bad">Failed</State> : <State tone="info">Pending</State>;
}
