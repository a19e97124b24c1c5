import type { FastifyPluginAsync } from 'fastify';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database, Scope } from '../database/database.ts';
import type { CredentialName } from '../http/credentials/credentials.ts';
import type { OwnersOf, Queue } from '../jobs/queue.ts';

/** Creates the routes of a feature from the services that they need. */
type RouteFactory<Services> = (services: Services) => FastifyPluginAsyncTypebox | FastifyPluginAsync;

/** Routes that need the same credential. Without a credential they are open to anyone. */
interface RouteGroup<Services> {
  credential: CredentialName | undefined;
  routes: RouteFactory<Services>[];
}

/** A queue, and what a worker does with each of its jobs. A job that throws is tried again. */
interface QueuedJob<WorkerServices> {
  queue: Queue<object>;
  run(services: WorkerServices, data: never): Promise<unknown>;
  /** Names the owner of each job, if a worker shares its places between owners. */
  ownersOf?: ((services: WorkerServices) => OwnersOf) | undefined;
}

/** Scheduled work, which one process of the deployment does at a time. */
interface Schedule {
  name: string;
  /** A cron expression in UTC. */
  cron: string;
  run(database: Database): Promise<unknown>;
}

/** Rows that the nightly job deletes. */
export interface Expiry {
  /** Deletes rows of one tenant, in its scope. */
  ofTenant?: ((tenant: Scope, tenantId: string) => Promise<unknown>)[];
  /** Deletes rows of workspaces, accounts or players, in the platform scope. */
  ofPlatform?: ((platform: Scope) => Promise<unknown>)[];
  /** Deletes other rows. Each function enters the scope that it needs. */
  global?: ((database: Database) => Promise<unknown>)[];
}

/** A part of the product: what its features add to the deployment. The runtime registers all groups (features/index.ts). */
export interface FeatureGroup<Services, WorkerServices> {
  routes: RouteGroup<Services>[];
  jobs?: QueuedJob<WorkerServices>[];
  schedules?: Schedule[];
  expiry?: Expiry;
}

/** All services that several factories need together. */
type NeedsOf<Factories extends RouteFactory<never>[]> = Factories[number] extends (
  services: infer Services,
) => unknown
  ? Services
  : never;

/** Routes behind a credential. */
export function behind<Factories extends RouteFactory<never>[]>(
  credential: CredentialName,
  ...routes: Factories
): RouteGroup<NeedsOf<Factories>> {
  return { credential, routes: routes as unknown as RouteFactory<NeedsOf<Factories>>[] };
}

/** Routes that are open to anyone. */
export function openToAnyone<Factories extends RouteFactory<never>[]>(
  ...routes: Factories
): RouteGroup<NeedsOf<Factories>> {
  return { credential: undefined, routes: routes as unknown as RouteFactory<NeedsOf<Factories>>[] };
}

/** Joins a queue to what a worker does with its jobs. */
export function job<WorkerServices, Data extends object>(
  queue: Queue<Data>,
  run: (services: WorkerServices, data: Data) => Promise<unknown>,
  ownersOf?: (services: WorkerServices) => OwnersOf,
): QueuedJob<WorkerServices> {
  return { queue, run, ownersOf };
}
