import type { Database, Querier } from '../../../../database/database.ts';
import type { AccountAuthor, Author } from '../../../../core/author.ts';
import { newId } from '../../../../core/ids.ts';
import { cursorPage, type CursorPage } from '../../../../core/page.ts';
import { ProblemError } from '../../../../core/problem.ts';
import type { ReportError } from '../../../../core/report-error.ts';
import { audit, eraseAuditAddresses } from '../../../platform/audit/index.ts';
import { redactThirdPartyTokens } from '../../../sign-in/assertions/index.ts';
import {
  listAuditedTenants,
  lockCredentials,
  mailChange,
  releaseAddresses,
} from '../../../sign-in/email/index.ts';
import { eraseSessions } from '../../../sign-in/sessions/index.ts';
import { eraseDevices } from '../devices/queries.ts';
import { revokePortalSessions } from '../../../sign-in/portal/index.ts';
import { revokePlayerTokens } from '../../../sign-in/tokens/index.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import {
  requireProvenWorkspace,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
} from '../auth-methods/identity-proof.ts';
import { deleteAuthMethods } from '../auth-methods/queries.ts';
import { removeAvatar } from '../avatars/avatar-store.ts';
import type { AvatarServices } from '../avatars/upload-avatar.ts';
import {
  deleteNotes,
  findDeletionReceipt,
  insertDeletionReceipt,
  listDeletionReceipts,
  redactProfile,
  type DeletionReceipt,
} from './queries.ts';
import { requireUnrevokedSession } from '../lock-profile.ts';
import { addPlayerChange } from '../publish-change.ts';
import { isActivePlayer, lockProfiles } from '../queries.ts';

/** Who deletes a player: the player, who may need a proof of identity, or a platform administrator. */
export type Deleter = { player: CallerWithProof } | { administrator: AccountAuthor };

/** A deletion in the audit trail. `tenantId` is the tenant of the token; null for the player portal and for platform administrators. */
interface Deletion extends Author {
  action: 'player.self_deleted' | 'player.admin_deleted';
  tenantId: string | null;
}

export type DeletionServices = AvatarServices & ProofServices & MailServices;

/**
 * Deletes a player in one transaction: clears the profile, removes all sign-in methods, erases addresses and metadata, revokes
 * all refresh tokens, writes a receipt and notifies webhooks (docs/profiles.md#delete-the-profile). Idempotent: a second deletion
 * returns the first receipt. Returns undefined if there is no such profile, or if it was merged into another one. The other profile does
 * not change. Throws identity_proof_required, and invalid_bearer for a token of a revoked session.
 */
export async function deletePlayer(
  services: DeletionServices,
  playerId: string,
  by: Deleter,
  report: ReportError,
): Promise<{ receiptId: string } | undefined> {
  const { database, avatars } = services;
  const player = database.forPlayer(playerId);
  const caller = 'player' in by ? by.player : undefined;
  const deletion = deletionBy(by);
  // A repeated request sends the same proof again, which has been used.
  const proof =
    caller?.proof && (await isActivePlayer(player, playerId))
      ? await verifyProof(services, caller)
      : undefined;
  const { receipt, deleted } = await player.transaction(async (transaction) => {
    await lockCredentials(transaction, [playerId]);
    await proof?.use?.(transaction);
    const before = (await lockProfiles(transaction, [playerId])).get(playerId);
    // A merged profile has no receipt, because a deleted profile cannot be merged.
    if (!before?.isActive) return { receipt: await findDeletionReceipt(transaction, playerId) };
    if (caller) {
      await requireUnrevokedSession(transaction, caller, 'wholeProfile');
      await requireProvenWorkspace(transaction, services, caller, { proof });
    }
    const receiptId = newId();
    await mailChange(services, transaction, { playerId, tenantId: deletion.tenantId }, 'deleted', receiptId);
    const erased = await redactPlayer(transaction, playerId);
    const deletedBy = caller ? 'player' : 'account';
    const receipt = await insertDeletionReceipt(transaction, { receiptId, playerId, deletedBy, ...erased });
    const { deletedAt } = receipt;
    await addPlayerChange(services.jobs, transaction, {
      type: 'player.deleted',
      data: { playerId, deletedAt },
    });
    // Tenants get no record of a deletion by a platform administrator.
    const tenantIds = caller ? await listAuditedTenants(transaction, caller) : [];
    return { receipt, deleted: { avatarName: before.avatarName, tenantIds } };
  });
  if (!receipt) return undefined;
  const { receiptId, removedAuthMethods } = receipt;
  if (deleted) {
    await removeAvatar(avatars, deleted.avatarName, report);
    const details = { removedAuthMethods, receiptId };
    await recordDeletion(database, playerId, deletion, deleted.tenantIds, details).catch((error: unknown) =>
      report(error, `could not write ${deletion.action} of ${playerId} to the audit trail`),
    );
  }
  return { receiptId };
}

function deletionBy(by: Deleter): Deletion {
  if ('administrator' in by) return { ...by.administrator, action: 'player.admin_deleted', tenantId: null };
  const { playerId, tenantId, origin } = by.player;
  return { actor: { kind: 'player', id: playerId }, origin, action: 'player.self_deleted', tenantId };
}

/** The receipt of a deletion. Throws not_found. */
export async function readDeletionReceipt(database: Database, playerId: string): Promise<DeletionReceipt> {
  const receipt = await findDeletionReceipt(database.forPlatform(), playerId);
  if (!receipt) throw new ProblemError('not_found', 'No player with this id was deleted.');
  return receipt;
}

/** A page of the receipts of all deletions, newest first. The cursor is the id of the last receipt of the page. */
export async function readDeletionReceipts(
  database: Database,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<CursorPage<DeletionReceipt>> {
  const found = await listDeletionReceipts(database.forPlatform(), { cursor, limit: limit + 1 });
  return cursorPage(found, limit, ({ receiptId }) => receiptId);
}

/**
 * Removes what is personal, and returns how much. The caller has locked the profile. A concurrent sign-in either commits first, and
 * its session ends here, or it finds its sign-in method removed and creates a new player.
 */
async function redactPlayer(
  db: Querier,
  playerId: string,
): Promise<Pick<DeletionReceipt, 'removedAuthMethods' | 'erasedSessions' | 'destroyedKeys'>> {
  const removedAuthMethods = await deleteAuthMethods(db, playerId);
  await releaseAddresses(db, playerId);
  await deleteNotes(db, playerId);
  await redactProfile(db, playerId);
  // Devices are locked before sessions. A block of a device locks them in the same order.
  await eraseDevices(db, playerId);
  await revokePlayerTokens(db, playerId);
  await revokePortalAndThirdPartyTokens(db, playerId);
  const erased = await eraseSessions(db);
  // After the lock on the sessions: a concurrent reuse of a refresh token has written its audit record with that lock.
  await eraseAuditAddresses(db);
  return { removedAuthMethods, ...erased };
}

/**
 * Revokes the refresh tokens of a player in the portal and at third parties. The caller has locked the profile in an earlier statement.
 * Every sign-in takes that lock first, so no concurrent sign-in can be missed.
 */
export async function revokePortalAndThirdPartyTokens(db: Querier, playerId: string): Promise<void> {
  await revokePortalSessions(db, playerId);
  await redactThirdPartyTokens(db, playerId);
}

/**
 * Writes the deletion to the audit trails of tenants. A deletion without a tenant is also written to the trail of the platform. Only
 * the tenant of the token sees the origin of the request.
 */
async function recordDeletion(
  database: Database,
  playerId: string,
  { origin, ...deletion }: Deletion,
  tenantIds: string[],
  details: Record<string, unknown>,
): Promise<void> {
  const scopes = deletion.tenantId === null ? [null, ...tenantIds] : tenantIds;
  for (const tenantId of scopes) {
    const scope = tenantId === null ? database : database.forTenant(tenantId);
    const visibleOrigin = tenantId === deletion.tenantId && origin ? { origin } : {};
    await audit(scope, { ...deletion, ...visibleOrigin, tenantId, targetId: playerId, details });
  }
}
