import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { now } from '../../../core/timestamps.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { exportEventsOfPlayer } from '../../gameplay/events/index.ts';
import { openLoginData, openLogoutMetadata } from '../../sign-in/sessions/index.ts';
import { listDevices } from '../devices/index.ts';
import {
  requireProof,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
} from './auth-methods/identity-proof.ts';
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
import { notifyChange, type ChangeAuthor } from './notify-change.ts';
import { lockProfiles } from './queries.ts';
import type { FullProfile } from './read-profile.ts';

/** Checks that a player may export their data, and notifies them before the first byte is sent. Throws identity_proof_required. */
export async function authorizeExport(
  services: ProofServices & MailServices,
  caller: CallerWithProof & ChangeAuthor,
): Promise<void> {
  const proof = await verifyProof(services, caller);
  await services.database.forPlayer(caller.playerId).transaction(async (transaction) => {
    await proof?.use?.(transaction);
    await lockProfiles(transaction, [caller.playerId]);
    await requireProof(transaction, services, caller, { proof });
    await notifyChange(services, transaction, caller, 'exported');
  });
}

/** Rows per query, so that memory does not grow with the export. 200 logins with metadata have at most 2 MiB. */
const PAGE_SIZE = 200;

type Chunks = AsyncGenerator<object[]>;

/**
 * Exports all data about a player, with that of merged profiles, as one JSON object in pieces. Long lists are read while the response
 * is sent.
 */
export async function* exportProfile(
  { database, vault }: { database: Database; vault: Vault },
  profile: FullProfile,
): AsyncGenerator<string> {
  const playerIds = [profile.id, ...profile.mergedProfileIds];
  const playerScope = database.forPlayer(profile.id);
  const head = {
    exportedAt: now(),
    profile,
    mergedProfiles: await listMergedProfiles(playerScope, playerIds),
    emailAddresses: await listAddresses(playerScope, playerIds),
    devices: await listDevices(database, profile.id),
  };
  // Cut the closing brace, because more members follow.
  yield JSON.stringify(head).slice(0, -1);

  const tenantIds = profile.tenantAccess.map(({ tenantId }) => tenantId);
  const tenantPlayers = tenantIds.flatMap((tenantId) =>
    playerIds.map((playerId) => ({ tenantId, playerId })),
  );
  const sections: Record<string, Chunks> = {
    bans: readAll(playerIds, (id, last?: BanRow) => pageBans(playerScope, id, last, PAGE_SIZE)),
    portalSessions: readAll(playerIds, (id, last?: PortalSessionRow) =>
      pagePortalSessions(playerScope, id, last, PAGE_SIZE),
    ),
    thirdParties: withoutTokenHashes(
      readAll(playerIds, (id, last?: ThirdPartyRow) => pageThirdParties(playerScope, id, last, PAGE_SIZE)),
    ),
    sessions: readAll(playerIds, (id, last?: SessionRow) => pageSessions(playerScope, id, last, PAGE_SIZE)),
    logins: openRows(
      readAll(playerIds, (id, last?: LedgerRow) => pageLogins(playerScope, id, last, PAGE_SIZE)),
      (row) => openLoginData(vault, row),
    ),
    logouts: openRows(
      readAll(playerIds, (id, last?: LedgerRow) => pageLogouts(playerScope, id, last, PAGE_SIZE)),
      (row) => ({ metadata: openLogoutMetadata(vault, row) }),
    ),
    matches: readAll(tenantPlayers, ({ tenantId, playerId }, last?: MatchRow) =>
      pageMatches(database.forTenant(tenantId), tenantId, playerId, last, PAGE_SIZE),
    ),
    matchEvents: readEvents(database, 'match', tenantIds, playerIds),
    playerEvents: readEvents(database, 'player', tenantIds, playerIds),
  };
  for (const [name, chunks] of Object.entries(sections)) yield* asMember(name, chunks);
  yield '}';
}

/** The token hash is the sort key of the pages. It is not exported. */
async function* withoutTokenHashes(chunks: AsyncGenerator<ThirdPartyRow[]>): Chunks {
  for await (const chunk of chunks) yield chunk.map(({ tokenHash: _hash, ...row }) => row);
}

/** Replaces the sealed data of ledger rows by the opened data. */
async function* openRows(chunks: AsyncGenerator<LedgerRow[]>, open: (row: LedgerRow) => object): Chunks {
  for await (const chunk of chunks)
    yield chunk.map((row) => {
      const { keySalt: _salt, personalData: _sealed, ...plain } = row;
      return { ...plain, ...open(row) };
    });
}

/** Reads all pages of the first owner's list, then those of the next owner. */
async function* readAll<Owner, Row extends object>(
  owners: Owner[],
  readPage: (owner: Owner, last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (const owner of owners) {
    let rows: Row[] = [];
    do {
      rows = await readPage(owner, rows.at(-1));
      yield rows;
    } while (rows.length === PAGE_SIZE);
  }
}

async function* readEvents(
  database: Database,
  scope: 'match' | 'player',
  tenantIds: string[],
  playerIds: string[],
): Chunks {
  for (const tenantId of tenantIds)
    for await (const chunk of exportEventsOfPlayer(database, tenantId, scope, playerIds))
      yield chunk.map((event) => ({ tenantId, ...event }));
}

/** Formats an array as another member of an open JSON object. */
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
