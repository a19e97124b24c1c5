import type { Querier } from '../../../../database/database.ts';
import type { PlayerCaller } from '../../../../core/callers.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { now } from '../../../../core/timestamps.ts';
import type { Vault } from '../../../../security/vault.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import {
  exportEventsOfPlayer,
  requireArchive,
  type EventScope,
  type EventSources,
} from '../../../gameplay/events/index.ts';
import { openLoginData, openLogoutMetadata } from '../../../sign-in/sessions/index.ts';
import { listDevices } from '../devices/devices.ts';
import {
  requireProvenWorkspace,
  type CallerWithProof,
  type ProofServices,
  type VerifiedProof,
} from '../auth-methods/identity-proof.ts';
import {
  listAddresses,
  listMergedPlayers,
  listTenantIds,
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
  type Owner,
  type PortalSessionRow,
  type SessionRow,
  type ThirdPartyRow,
} from './queries.ts';
import { readAll, streamObject, type Chunks } from './export-object.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { requireUnrevokedSession } from '../lock-profile.ts';
import { notifyChange } from '../../../sign-in/email/index.ts';
import { existsUnmerged, lockProfiles } from '../queries.ts';
import { readProfile } from '../read-profile.ts';

export interface ExportServices extends EventSources {
  vault: Vault;
}

/**
 * Exports all data about a player, with that of merged profiles, as one JSON object in pieces. Long lists are read while the response
 * is sent. Notifies the player before the first byte, but not of an export that is refused. `proof` is the verified proof of identity
 * of the caller. Throws identity_proof_required, too_many_attempts, archive_unavailable, and invalid_bearer for a token of a revoked session.
 */
export async function* exportProfile(
  services: ExportServices & ProofServices & MailServices & ChangeBudgets,
  caller: CallerWithProof,
  proof: VerifiedProof | undefined,
): AsyncGenerator<string> {
  const { database, archive, vault } = services;
  const profile = await readProfile(database, caller.playerId);
  const playerScope = database.forPlayer(profile.id);
  const tenantIds = await listTenantIds(playerScope, profile.id);
  await requireArchive({ database, archive }, tenantIds);
  await authorizeExport(services, caller, proof);
  const playerIds = [profile.id, ...profile.mergedProfileIds];
  const owners = playerIds.map((playerId) => ({ playerId }));
  const head = {
    exportedAt: now(),
    profile,
    mergedProfiles: await listMergedPlayers(playerScope, playerIds),
    emailAddresses: await listAddresses(playerScope, playerIds),
    devices: await listDevices(database, profile.id),
  };
  const { bans, thirdParties, ...ledgers } = sectionsOf(playerScope, vault, owners);
  yield* streamObject(head, {
    bans,
    portalSessions: readAll(playerIds, (id, last?: PortalSessionRow) =>
      pagePortalSessions(playerScope, id, last),
    ),
    thirdParties,
    ...ledgers,
    ...gameplayOf({ database, archive }, tenantIds, playerIds),
  });
}

/** Checks that a player may export their data, and notifies them. */
async function authorizeExport(
  services: ProofServices & MailServices & ChangeBudgets,
  caller: CallerWithProof,
  proof: VerifiedProof | undefined,
): Promise<void> {
  await services.database.forPlayer(caller.playerId).transaction(async (transaction) => {
    await proof?.use?.(transaction);
    await lockProfiles(transaction, [caller.playerId]);
    await requireUnrevokedSession(transaction, caller, 'wholeProfile');
    await requireProvenWorkspace(transaction, services, caller, { proof });
    await services.profileChanges.spend(caller.playerId);
    await notifyChange(services, transaction, caller, 'exported');
  });
}

/**
 * Checks during an export whether the caller may still export. An access token lasts for hours, and so can an export. Throws invalid_bearer.
 */
export async function confirmExport({ database }: ExportServices, caller: PlayerCaller): Promise<void> {
  const { playerId } = caller;
  const player = database.forPlayer(playerId);
  if (!(await existsUnmerged(player, playerId))) throw new ProblemError('invalid_bearer');
  await requireUnrevokedSession(player, caller, 'wholeProfile');
}

/**
 * Exports what one tenant has about a player after the members of `head`. `playerIds` lists the profiles of the player. Addresses and
 * names that third parties got are left out, because they can be unknown to the tenant. The caller has called {@link requireArchive}.
 */
export async function* exportInTenant(
  { database, archive, vault }: ExportServices,
  tenantId: string,
  playerIds: string[],
  head: object,
): AsyncGenerator<string> {
  const owners = playerIds.map((playerId) => ({ playerId, tenantId }));
  const { thirdParties, ...lists } = sectionsOf(database.forTenant(tenantId), vault, owners);
  yield* streamObject(
    { exportedAt: now(), tenantId, ...head },
    {
      ...lists,
      thirdParties: without(['displayName', 'email'], thirdParties),
      ...gameplayOf({ database, archive }, [tenantId], playerIds),
    },
  );
}

/** The lists that a profile and a tenant have in common. */
function sectionsOf(db: Querier, vault: Vault, owners: Owner[]) {
  return {
    bans: readAll(owners, (owner, last?: BanRow) => pageBans(db, owner, last)),
    // The family is the sort key of the pages. It is not exported.
    thirdParties: without(
      ['familyId'],
      readAll(owners, (owner, last?: ThirdPartyRow) => pageThirdParties(db, owner, last)),
    ),
    sessions: readSessions(db, owners),
    logins: openRows(
      readAll(owners, (owner, last?: LedgerRow) => pageLogins(db, owner, last)),
      (row) => openLoginData(vault, row),
    ),
    logouts: openRows(
      readAll(owners, (owner, last?: LedgerRow) => pageLogouts(db, owner, last)),
      (row) => ({ metadata: openLogoutMetadata(vault, row) }),
    ),
  };
}

async function* readSessions(db: Querier, owners: Owner[]): Chunks {
  for (const owner of owners)
    yield* withoutMoved(readAll([owner], (one, last?: SessionRow) => pageSessions(db, one, last)));
}

/**
 * Leaves sessions of a profile out that have moved behind the later ones of their tenant, because they ended after they were read. Only
 * the open sessions of one tenant are in memory: each takes 100 bytes.
 */
async function* withoutMoved(chunks: AsyncGenerator<SessionRow[]>): AsyncGenerator<SessionRow[]> {
  const open = new Set<string>();
  let readTenantId: string | undefined;
  for await (const chunk of chunks) {
    const sessions: SessionRow[] = [];
    for (const session of chunk) {
      const { tenantId, sessionId, endedAt } = session;
      if (tenantId !== readTenantId) open.clear();
      readTenantId = tenantId;
      if (open.has(sessionId)) continue;
      sessions.push(session);
      if (endedAt === null) open.add(sessionId);
    }
    yield sessions;
  }
}

/** A player may have signed in to any number of tenants, with many merged profiles. */
function* tenantPlayers(
  tenantIds: string[],
  playerIds: string[],
): Generator<{ tenantId: string; playerId: string }> {
  for (const tenantId of tenantIds) for (const playerId of playerIds) yield { tenantId, playerId };
}

function gameplayOf(sources: EventSources, tenantIds: string[], playerIds: string[]) {
  return {
    matches: readAll(tenantPlayers(tenantIds, playerIds), ({ tenantId, playerId }, last?: MatchRow) =>
      pageMatches(sources.database.forTenant(tenantId), tenantId, playerId, last),
    ),
    matchEvents: readEvents(sources, 'match', tenantIds, playerIds),
    playerEvents: readEvents(sources, 'player', tenantIds, playerIds),
  };
}

/** Replaces the sealed data of ledger rows by the opened data. */
async function* openRows(chunks: AsyncGenerator<LedgerRow[]>, open: (row: LedgerRow) => object): Chunks {
  for await (const chunk of chunks)
    yield chunk.map((row) => {
      const { keySalt: _salt, personalData: _sealed, ...plain } = row;
      return { ...plain, ...open(row) };
    });
}

/** Leaves members of all rows out. */
async function* without(names: string[], chunks: Chunks): Chunks {
  for await (const chunk of chunks)
    yield chunk.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))),
    );
}

async function* readEvents(
  sources: EventSources,
  scope: EventScope,
  tenantIds: string[],
  playerIds: string[],
): Chunks {
  for (const tenantId of tenantIds)
    for await (const chunk of exportEventsOfPlayer(sources, tenantId, scope, playerIds))
      yield chunk.map((event) => ({ tenantId, ...event }));
}
