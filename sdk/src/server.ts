export * from './common.ts';
export {
  createServerClient,
  type Assertions,
  type MatchEvent,
  type PlayerEvent,
  type Players,
  type ServerCalls,
  type ServerClient,
  type ServerClientOptions,
} from './server/client.ts';
export type { BatchResult, Refusal } from './events/batch.ts';
export type { Matches } from './core/matches.ts';
export type { Idempotent, RetryOptions } from './core/retries.ts';
