import type { Registry } from 'prom-client';
import type { Log } from '../core/log.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Jobs } from '../jobs/queue.ts';
import type { OutboundClient } from '../outbound/http-client.ts';
import type { Channel } from '../processes/channel.ts';
import type { AcquireSlots } from '../processes/concurrency-slots.ts';
import type { Redis } from '../redis/redis.ts';
import type { CreateBudget } from '../security/attempt-budget.ts';
import type { Vault } from '../security/vault.ts';

/** The services that all feature groups share. From them, each group opens its own (`services.ts` of its folder). */
export interface BaseServices {
  database: Database;
  changes: ChangeFeed;
  jobs: Jobs;
  /** Undefined if no Redis is configured: each server counts on its own. */
  redis: Redis | undefined;
  /** The process that counts for all processes of this server. Undefined if there is only one. */
  primary: Channel | undefined;
  vault: Vault;
  /** The address of the deployment. */
  issuer: string;
  /** Separate clients for servers that the operator configures, and for those that a tenant configures. */
  outbound: { operator: OutboundClient; tenant: OutboundClient };
  createBudget: CreateBudget;
  acquireSlots: AcquireSlots;
  /** How many processes serve together, and divide what one server may use. */
  processes: number;
  metrics: Registry;
  logger: Log<'warn'>;
}

/** Closes a service when the server stops, or when another service cannot be opened. The last one that was opened is closed first. */
export type CloseLater = <Service extends { close(): void | Promise<void> }>(service: Service) => Service;
