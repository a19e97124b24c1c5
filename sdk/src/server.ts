export * from './common.ts';
export {
  createServerClient,
  type Assertions,
  type Idempotent,
  type MatchEvent,
  type Matches,
  type PlayerEvent,
  type Players,
  type ServerClient,
  type ServerClientOptions,
} from './server/client.ts';
export type { BatchResult, Refusal } from './events/batch.ts';
export type { RetryOptions } from './core/retries.ts';
