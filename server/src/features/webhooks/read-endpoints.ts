import type { Querier } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import {
  countEndpoints,
  findEndpoint,
  listEndpoints,
  type Endpoint,
  type EndpointPlace,
  type WebhookPlace,
} from './queries.ts';

/** A page of the endpoints of a workspace, or of the deployment. */
export async function readEndpoints(
  db: Querier,
  place: WebhookPlace,
  page: { limit: number; offset: number },
) {
  const [items, totalCount] = await Promise.all([listEndpoints(db, place, page), countEndpoints(db, place)]);
  return { items, limit: page.limit, offset: page.offset, totalCount };
}

/** Throws not_found, also for an endpoint of another place. */
export async function readEndpoint(db: Querier, place: EndpointPlace): Promise<Endpoint> {
  const found = await findEndpoint(db, place);
  if (!found) throw new Problem('not_found');
  return found;
}
