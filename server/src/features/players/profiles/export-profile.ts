import type { Database } from '../../../database/database.ts';
import { now } from '../../../core/timestamps.ts';
import { listDevices } from '../devices/index.ts';
import { exportEventsOfPlayer } from '../../gameplay/events/index.ts';
import {
  listAddresses,
  listMergedProfiles,
  pageBans,
  pageLogins,
  pageLogouts,
  pageMatches,
  pagePortalSessions,
  pageSessions,
  pageThirdParties,
  type BanRow,
  type LedgerRow,
  type MatchRow,
  type PortalSessionRow,
  type SessionRow,
  type ThirdPartyRow,
} from './export-queries.ts';
import type { FullProfile } from './read-profile.ts';

/** Rows that are read at a time: memory does not grow with what is exported. 200 logins with metadata are at most 2 MiB. */
const CHUNK = 200;

type Chunks = AsyncGenerator<object[]>;

/**
 * Everything held about a player as one JSON object, in pieces, with what the profiles that were merged into theirs have left.
 * What can be long is read while it is sent.
 */
export async function* exportProfile(database: Database, profile: FullProfile): AsyncGenerator<string> {
  const people = [profile.id, ...profile.mergedProfileIds];
  const own = database.forPlayer(profile.id);
  const head = {
    exportedAt: now(),
    profile,
    mergedProfiles: await listMergedProfiles(own, people),
    emailAddresses: await listAddresses(own, people),
    devices: await listDevices(database, profile.id),
  };
  // The object stays open for what follows.
  yield JSON.stringify(head).slice(0, -1);

  const tenants = profile.tenantAccess.map(({ tenantId }) => tenantId);
  const places = tenants.flatMap((tenantId) => people.map((playerId) => ({ tenantId, playerId })));
  const sections: Record<string, Chunks> = {
    bans: inTurn(people, (id, last?: BanRow) => pageBans(own, id, last, CHUNK)),
    portalSessions: inTurn(people, (id, last?: PortalSessionRow) => pagePortalSessions(own, id, last, CHUNK)),
    thirdParties: withoutTokens(
      inTurn(people, (id, last?: ThirdPartyRow) => pageThirdParties(own, id, last, CHUNK)),
    ),
    sessions: inTurn(people, (id, last?: SessionRow) => pageSessions(own, id, last, CHUNK)),
    logins: inTurn(people, (id, last?: LedgerRow) => pageLogins(own, id, last, CHUNK)),
    logouts: inTurn(people, (id, last?: LedgerRow) => pageLogouts(own, id, last, CHUNK)),
    matches: inTurn(places, ({ tenantId, playerId }, last?: MatchRow) =>
      pageMatches(database.forTenant(tenantId), tenantId, playerId, last, CHUNK),
    ),
    matchEvents: events(database, 'match', tenants, people),
    playerEvents: events(database, 'player', tenants, people),
  };
  for (const [name, chunks] of Object.entries(sections)) yield* asMember(name, chunks);
  yield '}';
}

/** The hash of a token places its row in the list, and is nothing to export. */
async function* withoutTokens(chunks: AsyncGenerator<ThirdPartyRow[]>): Chunks {
  for await (const chunk of chunks) yield chunk.map(({ tokenHash: _hash, ...row }) => row);
}

/** The lists of several, one after the other, page by page. */
async function* inTurn<Owner, Row extends object>(
  owners: Owner[],
  page: (owner: Owner, last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (const owner of owners) {
    let rows: Row[] = [];
    do {
      rows = await page(owner, rows.at(-1));
      yield rows;
    } while (rows.length === CHUNK);
  }
}

async function* events(
  database: Database,
  scope: 'match' | 'player',
  tenants: string[],
  people: string[],
): Chunks {
  for (const tenantId of tenants)
    for await (const chunk of exportEventsOfPlayer(database, tenantId, scope, people))
      yield chunk.map((event) => ({ tenantId, ...event }));
}

/** A further member of an open object: an array. */
async function* asMember(name: string, chunks: Chunks): AsyncGenerator<string> {
  yield `,${JSON.stringify(name)}:[`;
  let separator = '';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield separator + chunk.map((row) => JSON.stringify(row)).join(',');
    separator = ',';
  }
  yield ']';
}
