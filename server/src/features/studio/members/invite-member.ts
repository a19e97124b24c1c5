import type { Database, Querier } from '../../../database/database.ts';
import type { Role } from '../../../core/role.ts';
import type { Author } from '../../../core/author.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { findAccount } from '../accounts/index.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { openTeam, requireAuthority } from './authority.ts';
import {
  countMailsBy,
  countMailsTo,
  endInvitation,
  findOpenInvitation,
  insertInvitation,
  lockAddress,
  type SentMails,
} from './invitation-queries.ts';
import { invitationEmail } from './templates/invitation.ts';
import { isMember, type TeamEntry } from './queries.ts';

const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** Invitations that one address gets in a day, from all workspaces: whoever does not want them gets no more than that. */
const MAILS_TO_ADDRESS = 5;
/** Invitations that one account sends in a day, to whomever. */
const MAILS_BY_ACCOUNT = 100;
/** The same for an account whose address is not verified: whoever opened it may not be who they seem. */
const MAILS_BY_UNVERIFIED = 10;

export interface InviteServices extends MailServices {
  database: Database;
  /** The address of the deployment. */
  issuer: string;
}

/**
 * Invites an address to a workspace by a mailed token. Inviting it again mails another token, with the role of now, and the
 * one before stops working. Neither answer nor mail depends on whether the address has an account. Throws not_found,
 * forbidden, already_member and too_many_attempts.
 */
export async function inviteMember(
  services: InviteServices,
  author: Author,
  workspaceId: string,
  { email, role }: { email: string; role: Role },
): Promise<TeamEntry> {
  const { database, vault, issuer } = services;
  return database.transaction(async (transaction) => {
    const manager = await openTeam(transaction, author, workspaceId);
    const previous = await findOpenInvitation(transaction, workspaceId, { email });
    requireAuthority(manager, role, ...(previous ? [previous.role] : []));
    if (await isMember(transaction, workspaceId, email)) throw new ProblemError('already_member');
    const inviter = await findAccount(transaction, manager.userId);
    await spendMail(transaction, email, manager.userId, inviter?.emailVerified ?? false);

    if (previous) await endInvitation(transaction, previous.id);
    const token = newOpaqueToken('invite');
    const invitation = await insertInvitation(transaction, {
      id: newId(),
      workspaceId,
      email,
      role,
      tokenHash: vault.fingerprint(token),
      invitedBy: manager.userId,
      expiresAt: secondsFromNow(LIFETIME_SECONDS),
    });
    if (!invitation) throw new Error('An invitation was not inserted.');
    const letter = invitationEmail({
      inviter: inviter?.email ?? '',
      workspace: manager.workspaceName,
      server: issuer,
      role,
      token,
    });
    await sendMail(services, transaction, { to: email, content: letter, usefulSeconds: LIFETIME_SECONDS });
    await auditTrail(transaction, [
      {
        ...author,
        action: 'member.invited',
        workspaceId,
        targetId: invitation.invitationId,
        details: {
          ...(previous && { before: { email, role: previous.role } }),
          after: { email, role, expiresAt: invitation.expiresAt },
        },
      },
    ]);
    return invitation;
  });
}

/** Counts are rows, so nothing gives a mail back. Throws too_many_attempts. */
async function spendMail(
  transaction: Querier,
  email: string,
  userId: string,
  isVerified: boolean,
): Promise<void> {
  await lockAddress(transaction, email);
  refuseAbove(
    MAILS_TO_ADDRESS,
    await countMailsTo(transaction, email),
    'This address was invited too often today.',
  );
  refuseAbove(
    isVerified ? MAILS_BY_ACCOUNT : MAILS_BY_UNVERIFIED,
    await countMailsBy(transaction, userId),
    isVerified
      ? 'You have sent too many invitations today.'
      : `An account with an unverified e-mail address sends ${MAILS_BY_UNVERIFIED} invitations a day. Verify your address.`,
  );
}

function refuseAbove(limit: number, { count, seconds }: SentMails, detail: string): void {
  if (count < limit) return;
  throw new ProblemError('too_many_attempts', { detail, headers: { 'retry-after': String(seconds) } });
}
