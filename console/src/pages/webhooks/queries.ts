import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { useChange } from '../../app/use-change';
import { byOffset, whileShort } from '../../components/paging';
import { limitsOf } from '../../components/range';

const WEBHOOKS = '/api/workspaces/{workspaceId}/webhooks';
const WEBHOOK = `${WEBHOOKS}/{webhookId}` as const;
const DELIVERIES = `${WEBHOOK}/deliveries` as const;
const DELIVERY = `${DELIVERIES}/{deliveryId}` as const;
const REDELIVERIES = `${WEBHOOK}/redeliveries` as const;

type WebhookPage = Answer<typeof WEBHOOKS, 'get'>;
export type Webhook = WebhookPage['items'][number];
type DeliveryPage = Answer<typeof DELIVERIES, 'get'>;
export type Delivery = DeliveryPage['items'][number];
type RedeliveryPage = Answer<typeof REDELIVERIES, 'get'>;
export type Redelivery = RedeliveryPage['items'][number];
export type NewWebhook = Body<typeof WEBHOOKS, 'post'>;
type WebhookChange = Body<typeof WEBHOOK, 'patch'>;

/** What a webhook can subscribe to. */
export const eventTypeNames = {
  'alert.rate_spike': 'Alert: request rate',
  'alert.payload_spike': 'Alert: payload size',
  'usage.warning': 'Usage warning',
  'player.deleted': 'Player deleted',
  'player.merged': 'Player merged',
} as const;

/** Deliveries of all types, tests included. */
export const deliveryNames: Record<string, string> = { ...eventTypeNames, 'webhook.test': 'Test' };

/** Stands for the workspace if the webhooks belong to the deployment. They receive the events of all workspaces. */
export const PLATFORM = 'platform';

/** The path of an operation of a workspace, or of the same operation of the deployment. Both have the same bodies and answers. */
const pathFor = <Path extends `${typeof WEBHOOKS}${string}`>(workspaceId: string, path: Path): Path =>
  workspaceId === PLATFORM ? (path.replace('/workspaces/{workspaceId}', '/admin') as Path) : path;

export interface WebhookPath {
  /** Or {@link PLATFORM}. */
  workspaceId: string;
  webhookId: string;
}

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['webhooks', workspaceId],
    queryFn: () =>
      api.GET(pathFor(workspaceId, WEBHOOKS), { params: { path: { workspaceId }, query: { limit: 200 } } }),
  });

/** The addresses of the webhooks, by their ids. */
export function useWebhookNames(workspaceId: string): Map<string, string> {
  const { data } = useQuery(webhooksQuery(workspaceId));
  return new Map(data?.items.map(({ id, url }) => [id, url]));
}

export const webhookQuery = (path: WebhookPath) =>
  queryOptions({
    queryKey: ['webhook', path.workspaceId, path.webhookId],
    queryFn: () => api.GET(pathFor(path.workspaceId, WEBHOOK), { params: { path } }),
  });

export interface DeliveryFilter {
  status?: string | undefined;
  eventType?: string | undefined;
  range?: string | undefined;
}

const PAGE_SIZE = 100;

const toQuery = ({ status, eventType, range }: DeliveryFilter) => ({
  status: status as Delivery['status'] | undefined,
  eventType: eventType as Delivery['eventType'] | undefined,
  ...limitsOf(range),
});

export const deliveriesQuery = (path: WebhookPath, { status, eventType, range }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', path.webhookId, { status, eventType, range }],
    queryFn: ({ pageParam: offset, signal }) =>
      api.GET(pathFor(path.workspaceId, DELIVERIES), {
        params: { path, query: { ...toQuery({ status, eventType, range }), limit: PAGE_SIZE, offset } },
        signal,
      }),
    ...byOffset,
    refetchInterval: whileShort(5_000),
  });

export const deliveryQuery = (path: WebhookPath, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', path.webhookId, deliveryId],
    queryFn: () =>
      api.GET(pathFor(path.workspaceId, DELIVERY), { params: { path: { ...path, deliveryId } } }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 5_000 : false),
  });

/** The answer to a change may hold a secret that is shown once. */
const outdatedIn = (workspaceId: string) => ({
  keys: [['webhooks', workspaceId], ['webhook', workspaceId], ['deliveries'], ['delivery'], ['redelivery']],
  waits: false,
});

export const useCreateWebhook = (workspaceId: string) =>
  useChange(outdatedIn(workspaceId), (body: NewWebhook) =>
    api.POST(pathFor(workspaceId, WEBHOOKS), { params: { path: { workspaceId } }, body }),
  );

export const useChangeWebhook = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), (body: WebhookChange) =>
    api.PATCH(pathFor(path.workspaceId, WEBHOOK), { params: { path }, body }),
  );

export const useDeleteWebhook = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), () =>
    api.DELETE(pathFor(path.workspaceId, WEBHOOK), { params: { path } }),
  );

export const useTestWebhook = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), () =>
    api.POST(pathFor(path.workspaceId, `${WEBHOOK}/test`), { params: { path } }),
  );

export const useRotateSecret = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), (overlapSeconds: number) =>
    api.POST(pathFor(path.workspaceId, `${WEBHOOK}/rotate-secret`), {
      params: { path },
      body: { overlapSeconds },
    }),
  );

export const useRedeliver = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), (deliveryId: string) =>
    api.POST(pathFor(path.workspaceId, `${DELIVERY}/redeliver`), {
      params: { path: { ...path, deliveryId } },
    }),
  );

/** The last redelivery of many, or null. Another tab or person may have started it. */
export const redeliveryQuery = (path: WebhookPath) =>
  queryOptions({
    queryKey: ['redelivery', path.webhookId],
    queryFn: async () => {
      const { items } = await api.GET(pathFor(path.workspaceId, REDELIVERIES), {
        params: { path, query: { limit: 1 } },
      });
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 1_000 : 5_000),
  });

/** The API requires at least one filter, so that a request with none is no accident. */
const SINCE_EVER = '1970-01-01T00:00:00Z';

export const useStartRedelivery = (path: WebhookPath) =>
  useChange(
    outdatedIn(path.workspaceId),
    (wanted: { ids: ReadonlySet<string> } | { filter: DeliveryFilter }) =>
      api.POST(pathFor(path.workspaceId, REDELIVERIES), {
        params: { path },
        body:
          'ids' in wanted
            ? { deliveryIds: [...wanted.ids] }
            : { from: SINCE_EVER, ...toQuery(wanted.filter) },
      }),
  );

export const useCancelRedelivery = (path: WebhookPath) =>
  useChange(outdatedIn(path.workspaceId), (redeliveryId: string) =>
    api.POST(pathFor(path.workspaceId, `${REDELIVERIES}/{redeliveryId}/cancel`), {
      params: { path: { ...path, redeliveryId } },
    }),
  );
