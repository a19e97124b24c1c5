export * from './common.ts';
export {
  createEventQueue,
  type DroppedEvents,
  type EventContent,
  type EventQueue,
  type EventQueueOptions,
  type MatchEventContent,
  type Progress,
  type RefusedEvent,
  type SentEvent,
  type WarnedEvent,
} from './events/queue.ts';
export type { WaitingFor } from './events/retry-policy.ts';
export type { EventOwner } from './events/owners.ts';
export type { EventSender } from './events/sender-loop.ts';
export type { Matches } from './core/matches.ts';
export type { Idempotent } from './core/retries.ts';
export {
  createPlayerClient,
  type Player,
  type PlayerCalls,
  type PlayerClient,
  type PlayerClientOptions,
  type PlayerSession,
} from './player/client.ts';
export type { IdentityProof, WithProof } from './player/identity-proof.ts';
export {
  createPortalClient,
  type PortalCalls,
  type PortalClient,
  type PortalClientOptions,
  type PortalPlayer,
} from './player/portal.ts';
export type {
  AuthMethodCredential,
  Device,
  MergeSource,
  OwnProfile,
  PastSession,
  PlayerProfile,
} from './player/profile.ts';
export type { WalletSigner } from './player/wallet-signer.ts';
export type { LoginResult, SignIn } from './player/sign-in.ts';
export { indexedDbStorage } from './storage/indexed-db.ts';
export { localStorage } from './storage/local-storage.ts';
