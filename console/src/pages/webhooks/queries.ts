import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, GuildhallError, type Answer, type Body } from '../../app/client';
import { patiently } from '../../app/query-client';
import { byOffset } from '../../components/paging';
import { limitsOf, toRange } from '../../components/range';

type WebhookPage = Answer<'/api/workspaces/{workspaceId}/webhooks', 'get'>;
export type Webhook = WebhookPage['items'][number];
type DeliveryPage = Answer<'/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries', 'get'>;
export type Delivery = DeliveryPage['items'][number];
export type NewWebhook = Body<'/api/workspaces/{workspaceId}/webhooks', 'post'>;
export type WebhookChange = Body<'/api/workspaces/{workspaceId}/webhooks/{webhookId}', 'patch'>;

/** What a webhook can subscribe to. */
export const eventTypeNames = {
  'alert.rate_spike': 'Alert: request rate',
  'alert.payload_spike': 'Alert: payload size',
  'usage.warning': 'Usage warning',
} as const;

export interface WebhookPath {
  workspaceId: string;
  webhookId: string;
}

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['webhooks', workspaceId],
    queryFn: () =>
      api.GET('/api/workspaces/{workspaceId}/webhooks', {
        params: { path: { workspaceId }, query: { limit: 200 } },
      }),
  });

export const webhookQuery = (path: WebhookPath) =>
  queryOptions({
    queryKey: ['webhook', path.workspaceId, path.webhookId],
    queryFn: () => api.GET('/api/workspaces/{workspaceId}/webhooks/{webhookId}', { params: { path } }),
  });

export interface DeliveryFilter {
  status?: string | undefined;
  eventType?: string | undefined;
  range?: string | undefined;
}

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;

const toQuery = ({ status, eventType, range }: DeliveryFilter) => ({
  status: status as Delivery['status'] | undefined,
  eventType: eventType as Delivery['eventType'] | undefined,
  from: range && limitsOf(toRange(range, '24h')).from,
});

export const deliveriesQuery = (path: WebhookPath, { status, eventType, range }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', path.webhookId, { status, eventType, range }],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET('/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries', {
        params: { path, query: { ...toQuery({ status, eventType, range }), limit: PAGE_SIZE, offset } },
        signal,
      }),
    ...byOffset,
    // While one page shows. All pages of a long list would be hundreds of requests.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : 5_000),
  });

export const deliveryQuery = (path: WebhookPath, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', path.webhookId, deliveryId],
    queryFn: () =>
      api.GET('/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}', {
        params: { path: { ...path, deliveryId } },
      }),
    refetchInterval: 5_000,
  });

function useWebhookChange<Input, Output>(workspaceId: string, change: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    // Nothing waits for the lists: the answer may hold a secret that is shown once.
    onSettled: () => {
      for (const queryKey of [
        ['webhooks', workspaceId],
        ['webhook', workspaceId],
        ['deliveries'],
        ['delivery'],
      ])
        void queryClient.invalidateQueries({ queryKey });
    },
  });
}

export const useCreateWebhook = (workspaceId: string) =>
  useWebhookChange(workspaceId, (body: NewWebhook) =>
    api.POST('/api/workspaces/{workspaceId}/webhooks', { params: { path: { workspaceId } }, body }),
  );

export const useChangeWebhook = (path: WebhookPath) =>
  useWebhookChange(path.workspaceId, (body: WebhookChange) =>
    api.PATCH('/api/workspaces/{workspaceId}/webhooks/{webhookId}', { params: { path }, body }),
  );

export const useDeleteWebhook = (path: WebhookPath) =>
  useWebhookChange(path.workspaceId, () =>
    api.DELETE('/api/workspaces/{workspaceId}/webhooks/{webhookId}', { params: { path } }),
  );

export const useTestWebhook = (path: WebhookPath) =>
  useWebhookChange(path.workspaceId, () =>
    api.POST('/api/workspaces/{workspaceId}/webhooks/{webhookId}/test', { params: { path } }),
  );

export const useRotateSecret = (path: WebhookPath) =>
  useWebhookChange(path.workspaceId, (overlapSeconds: number) =>
    api.POST('/api/workspaces/{workspaceId}/webhooks/{webhookId}/rotate-secret', {
      params: { path },
      body: { overlapSeconds },
    }),
  );

const redeliver = (path: WebhookPath, deliveryId: string) =>
  api.POST('/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
    params: { path: { ...path, deliveryId } },
  });

export const useRedeliver = (path: WebhookPath) =>
  useWebhookChange(path.workspaceId, (deliveryId: string) => redeliver(path, deliveryId));

/** What became of a redelivery of many. */
export interface BulkOutcome {
  done: number;
  /** The deliveries that were not sent again, because they were refused or the work stopped before them. */
  left: Set<string>;
  /** How many were refused, by the reason. */
  refusals: Map<string, number>;
  /** What stopped the work. */
  error?: unknown;
}

/** Sends deliveries again, one after the other, so that other requests of the account stay below its limit. */
export const useRedeliverMany = (path: WebhookPath) =>
  useWebhookChange(
    path.workspaceId,
    async ({ ids, signal, onProgress }: BulkRedelivery): Promise<BulkOutcome> => {
      const outcome: BulkOutcome = { done: 0, left: new Set(ids), refusals: new Map() };
      for (const id of ids) {
        if (signal.aborted) break;
        try {
          await patiently(() => redeliver(path, id), signal);
          outcome.left.delete(id);
          outcome.done++;
        } catch (error) {
          if (signal.aborted) break;
          if (!isAboutOne(error)) return { ...outcome, error };
          outcome.refusals.set(error.detail, (outcome.refusals.get(error.detail) ?? 0) + 1);
        }
        onProgress();
      }
      return outcome;
    },
  );

interface BulkRedelivery {
  ids: ReadonlySet<string>;
  signal: AbortSignal;
  /** Called after each delivery. */
  onProgress: () => void;
}

/** Whether the next delivery may be accepted: this one is in progress, or too old and deleted. */
const isAboutOne = (error: unknown): error is GuildhallError =>
  error instanceof GuildhallError && ['delivery_running', 'not_found'].includes(error.code);

/** Reads the ids of all deliveries that match a filter. */
export async function readDeliveryIds(path: WebhookPath, filter: DeliveryFilter): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += MAX_PAGE_SIZE) {
    const { items } = await api.GET('/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries', {
      params: { path, query: { ...toQuery(filter), limit: MAX_PAGE_SIZE, offset } },
    });
    for (const { id } of items) ids.add(id);
    if (items.length < MAX_PAGE_SIZE) return ids;
  }
}
