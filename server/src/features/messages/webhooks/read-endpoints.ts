import type { Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  countEndpoints,
  findEndpoint,
  listEndpoints,
  type Endpoint,
  type EndpointPlace,
  type WebhookPlace,
} from './queries.ts';

/** A page of the endpoints of a workspace, or of the deployment. */
export async function readEndpoints(db: Querier, place: WebhookPlace, page: PageRequest) {
  return readPage(page, listEndpoints(db, place, page), countEndpoints(db, place));
}

/** Throws not_found, also for an endpoint of another place. */
export async function readEndpoint(db: Querier, place: EndpointPlace): Promise<Endpoint> {
  const found = await findEndpoint(db, place);
  if (!found) throw new ProblemError('not_found');
  return found;
}
