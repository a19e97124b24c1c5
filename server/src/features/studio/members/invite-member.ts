import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import type { Role } from '../../../core/role.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { hasPassed, secondsFromNow } from '../../../core/timestamps.ts';
import { lockAccount, type Account } from '../accounts/index.ts';
import { audit } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { lockTeamForManager, requireAuthority } from './authority.ts';
import {
  countMailsBy,
  countMailsTo,
  endInvitation,
  findOpenInvitation,
  insertInvitation,
  type SentMails,
} from './invitation-queries.ts';
import { invitationEmail } from './email-templates.ts';
import { countOthersOfTeam, isMember, type TeamEntry } from './queries.ts';

const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** The limit of members and open invitations of a workspace. Each owner and admin gets a notification and a mail of each alert. */
const MAX_TEAM = 100;

/**
 * Invitations to one address per day, from one workspace and from one account. All accounts with an unverified address share this
 * limit. So strangers without a mailbox send an address 5 mails a day in all, and cannot use up the invitations of a real studio.
 */
const MAX_MAILS_TO_ADDRESS = 5;
/** Invitations that one account can send per day. */
const MAX_MAILS_BY_ACCOUNT = 100;
/** The limit of an account with an unverified address, because its user can be an impostor. */
const MAX_MAILS_BY_UNVERIFIED = 10;

export interface InviteServices extends MailServices {
  database: Database;
  /** The base URL of the deployment. */
  issuer: string;
}

/**
 * Invites an address to a workspace with a mailed token. A second invitation replaces the first one: it mails a new token and
 * sets the new role. Response and email do not reveal whether the address has an account. Throws not_found, forbidden,
 * already_member, member_limit and too_many_attempts.
 */
export async function inviteMember(
  services: InviteServices,
  author: AccountAuthor,
  workspaceId: string,
  { email, role }: { email: string; role: Role },
): Promise<TeamEntry> {
  const { database, vault, issuer } = services;
  return database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await lockTeamForManager(transaction, author, workspaceId);
    const previous = await findOpenInvitation(transaction, workspaceId, { email });
    // An expired invitation gives nobody a role.
    const isInvited = previous && !hasPassed(previous.expiresAt);
    requireAuthority(manager, role, ...(isInvited ? [previous.role] : []));
    if (await isMember(transaction, workspaceId, email)) throw new ProblemError('already_member');
    if ((await countOthersOfTeam(transaction, workspaceId, email)) >= MAX_TEAM)
      throw new ProblemError('member_limit');
    // Locks in the order of an acceptance: workspace, account. The invitations from other workspaces of the account wait here.
    await enterScope(transaction, 'account_id', manager.userId);
    const inviter = await lockAccount(transaction, manager.userId);
    if (!inviter) throw new ProblemError('not_found');
    await requireMailsLeft(transaction, { email, workspaceId, inviter });

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
    const content = invitationEmail({
      inviter: inviter.email,
      workspace: manager.workspaceName,
      server: issuer,
      role,
      token,
    });
    await sendMail(services, transaction, { to: email, content, usefulSeconds: LIFETIME_SECONDS });
    await audit(transaction, {
      ...author,
      action: 'member.invited',
      workspaceId,
      targetId: invitation.invitationId,
      details: {
        ...(previous && { before: { email, role: previous.role } }),
        after: { email, role, expiresAt: invitation.expiresAt },
      },
    });
    return invitation;
  });
}

/**
 * Throws too_many_attempts if a daily limit is reached. The limits count the rows of invitations, under the locks of the workspace
 * and of the account that sends them.
 */
async function requireMailsLeft(
  transaction: Querier,
  {
    email,
    workspaceId,
    inviter: { id: userId, emailVerified },
  }: { email: string; workspaceId: string; inviter: Account },
): Promise<void> {
  if (!emailVerified) await lockUntilCommit(transaction, 'invitations', email);
  refuseAbove(
    MAX_MAILS_TO_ADDRESS,
    await countMailsTo(transaction, email, { workspaceId, userId }),
    emailVerified
      ? `This address received ${MAX_MAILS_TO_ADDRESS} invitations from this workspace or from you in the last 24 hours. Invite it again later.`
      : `This address received ${MAX_MAILS_TO_ADDRESS} invitations from this workspace or from accounts with an unverified email address in the last 24 hours. Verify your address, or invite it again later.`,
  );
  refuseAbove(
    emailVerified ? MAX_MAILS_BY_ACCOUNT : MAX_MAILS_BY_UNVERIFIED,
    await countMailsBy(transaction, userId),
    emailVerified
      ? `You have sent ${MAX_MAILS_BY_ACCOUNT} invitations in the last 24 hours. Send more later.`
      : `Accounts with an unverified email address can send ${MAX_MAILS_BY_UNVERIFIED} invitations per day. Verify your address.`,
  );
}

function refuseAbove(limit: number, { count, seconds }: SentMails, detail: string): void {
  if (count < limit) return;
  throw new ProblemError('too_many_attempts', { detail, retryAfter: seconds });
}
