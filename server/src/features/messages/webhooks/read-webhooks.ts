import type { Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Role } from '../../../core/role.ts';
import {
  countDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  type Attempt,
  type Delivery,
  type DeliveryFilter,
} from './delivery-queries.ts';
import {
  countEndpoints,
  findEndpoint,
  listEndpoints,
  type Endpoint,
  type EndpointRef,
  type WebhookScope,
} from './queries.ts';
import { requireRedelivery } from './redeliver-many.ts';
import {
  countRedeliveries,
  findRedelivery,
  listRedeliveries,
  type Redelivery,
} from './redelivery-queries.ts';

/** Reads a page of the endpoints of a workspace or of the deployment, as a role may see them. */
export async function readEndpoints(db: Querier, scope: WebhookScope, page: PageRequest, role: Role | null) {
  const { items, ...rest } = await readPage(page, listEndpoints(db, scope, page), countEndpoints(db, scope));
  return { ...rest, items: items.map((endpoint) => asSeenBy(role, endpoint)) };
}

/** Reads an endpoint as a role may see it. Throws `not_found`. */
export async function readEndpointAs(db: Querier, ref: EndpointRef, role: Role | null): Promise<Endpoint> {
  return asSeenBy(role, await readEndpoint(db, ref));
}

/** A viewer sees the origin of the URL only, because path and query may contain a token. */
function asSeenBy(role: Role | null, endpoint: Endpoint): Endpoint {
  return role === 'viewer' ? { ...endpoint, url: new URL(endpoint.url).origin } : endpoint;
}

/** Throws `not_found`, also for an endpoint of another workspace. */
async function readEndpoint(db: Querier, ref: EndpointRef): Promise<Endpoint> {
  const found = await findEndpoint(db, ref);
  if (!found) throw new ProblemError('not_found');
  return found;
}

/** Reads a page of the deliveries of an endpoint, newest first. Throws `not_found`. */
export async function readDeliveries(
  db: Querier,
  ref: EndpointRef,
  filter: DeliveryFilter,
  page: PageRequest,
) {
  const { id } = await readEndpoint(db, ref);
  return readPage(page, listDeliveries(db, id, filter, page), countDeliveries(db, id, filter));
}

/** Reads a delivery with its body and its attempts. Throws `not_found`. */
export async function readDelivery(
  db: Querier,
  ref: EndpointRef,
  deliveryId: string,
): Promise<Delivery & { body: string; history: Attempt[] }> {
  const { id } = await readEndpoint(db, ref);
  const [delivery, history] = await Promise.all([
    findDelivery(db, id, deliveryId),
    listAttempts(db, deliveryId),
  ]);
  if (!delivery) throw new ProblemError('not_found', 'The webhook does not have this delivery.');
  return { ...delivery, history };
}

/** Reads a page of the redeliveries of an endpoint, newest first. Throws `not_found`. */
export async function readRedeliveries(db: Querier, ref: EndpointRef, page: PageRequest) {
  const { id } = await readEndpoint(db, ref);
  return readPage(page, listRedeliveries(db, id, page), countRedeliveries(db, id));
}

/** Throws `not_found`. */
export async function readRedelivery(
  db: Querier,
  ref: EndpointRef,
  redeliveryId: string,
): Promise<Redelivery> {
  const { id } = await readEndpoint(db, ref);
  return requireRedelivery(await findRedelivery(db, id, redeliveryId));
}
