import type { Send } from '../core/http.ts';
import type { EventStore } from './event-store.ts';

/** The player whose session sends an event. */
export interface EventOwner {
  playerId: string;
  tenantId: string;
  /** The login session, which becomes the `loginSessionId` of events. */
  sessionId: string;
}

/** The player and the tenant of an event, as they are stored with it. */
export function ownerOf({ playerId, tenantId }: EventOwner): string {
  return `${tenantId}/${playerId}`;
}

/** Knows whose events a session may send: those of its player, and of the profiles that were merged into the player. */
export interface Owners {
  of(who: EventOwner): ReadonlySet<string>;
  /** Asks the server for merged profiles, if events of other players of the tenant wait. Returns false if it does not answer. */
  learn(who: EventOwner): Promise<boolean>;
  /** Makes the next question possible at once. */
  reset(): void;
}

/** Players can share a device for long, so the question is repeated rarely. */
const ASK_AGAIN_MS = 5 * 60_000;

export function createOwners(send: Send, store: Pick<EventStore, 'owners'>): Owners {
  /** The last answer: the player, and the owners whose events the player may send. */
  let known: { owner: string; owners: string[]; askedAt: number } | undefined;

  return {
    of: (who) => {
      const owner = ownerOf(who);
      return new Set(known?.owner === owner ? known.owners : [owner]);
    },
    learn: async (who) => {
      const owner = ownerOf(who);
      const askedAt = Date.now();
      // The clock may have been set back.
      if (known?.owner === owner && Math.abs(askedAt - known.askedAt) < ASK_AGAIN_MS) return true;
      const owners = [owner];
      const tenant = ownerOf({ ...who, playerId: '' });
      const waiting = [...(await store.owners())];
      if (waiting.some((other) => other.startsWith(tenant) && other !== owner)) {
        const { playerId } = who;
        const profile = await send('GET', '/api/player-profile/me', { playerId }).catch(() => undefined);
        if (!profile) return false;
        const { mergedProfileIds } = profile as { mergedProfileIds: string[] };
        owners.push(...mergedProfileIds.map((id) => tenant + id));
      }
      known = { owner, owners, askedAt };
      return true;
    },
    reset: () => {
      known = undefined;
    },
  };
}
