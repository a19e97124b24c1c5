import type { Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  countDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  type Attempt,
  type Delivery,
  type DeliveryFilter,
} from './delivery-queries.ts';
import type { EndpointPlace } from './queries.ts';
import { readEndpoint } from './read-endpoints.ts';

/** A page of the deliveries of an endpoint, the newest first. Throws not_found. */
export async function readDeliveries(
  db: Querier,
  place: EndpointPlace,
  filter: DeliveryFilter,
  page: PageRequest,
) {
  const { id } = await readEndpoint(db, place);
  return readPage(page, listDeliveries(db, id, filter, page), countDeliveries(db, id, filter));
}

/** A delivery with what was sent, and every attempt at it. Throws not_found. */
export async function readDelivery(
  db: Querier,
  place: EndpointPlace,
  deliveryId: string,
): Promise<Delivery & { body: string; history: Attempt[] }> {
  const { id } = await readEndpoint(db, place);
  const [delivery, history] = await Promise.all([
    findDelivery(db, id, deliveryId),
    listAttempts(db, deliveryId),
  ]);
  if (!delivery) throw new ProblemError('not_found', 'The webhook has no such delivery.');
  return { ...delivery, history };
}
