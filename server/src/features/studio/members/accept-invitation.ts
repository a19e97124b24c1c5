import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import type { AccountAuthor, Origin } from '../../../core/author.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  checkPassword,
  createAccount,
  findAccount,
  findAccountByEmail,
  createSession,
  markVerified,
  type AccountWithPassword,
  type PasswordServices,
  type SessionServices,
  type SignedIn,
} from '../accounts/index.ts';
import { audit } from '../../platform/audit/index.ts';
import { insertMembership, lockWorkspace, type Membership } from '../workspaces/index.ts';
import { endInvitation, findInvitationOfToken, type MailedInvitation } from './invitation-queries.ts';

export interface InvitationServices {
  database: Database;
  vault: Vault;
}

/**
 * Returns an invitation by its token. The response also says whether the address has an account. That is safe, because the
 * caller can read the mailbox of the address.
 */
export async function readInvitation(
  { database, vault }: InvitationServices,
  token: string,
): Promise<MailedInvitation & { hasAccount: boolean }> {
  const invitation = await requireInvitation(database, vault.fingerprint(token));
  const account = await findAccountByEmail(database, invitation.email);
  return { ...invitation, hasAccount: account !== undefined };
}

interface Acceptance {
  token: string;
  password: string;
  displayName?: string | undefined;
}

/**
 * Accepts an invitation and signs the account in. If the address has an account, the password must match. Otherwise an account
 * with this password is created, even if sign-up is closed. Throws invalid_request, not_found and the errors of checking a password.
 */
export async function acceptInvitation(
  services: InvitationServices & PasswordServices & SessionServices,
  origin: Origin,
  { token, password, displayName }: Acceptance,
): Promise<{ isNew: boolean; signedIn: SignedIn & { membership: Membership } }> {
  if (displayName !== undefined) requireDisplayName(displayName);
  const { database, vault } = services;
  const hash = vault.fingerprint(token);
  const { email } = await requireInvitation(database, hash);
  const known = (await findAccountByEmail(database, email))
    ? await checkPassword(services, origin.ip, { email, password })
    : undefined;
  if (known?.totpEnabled)
    throw new ProblemError(
      'second_factor_needed',
      'Sign in first, then accept the invitation with POST /api/saas-auth/me/invitations/accept.',
    );
  const passwordHash = known ? '' : await hashPassword(password, origin.ip);
  const id = known?.id ?? newId();
  return database.forAccount(id).transaction(async (transaction) => {
    const invitation = await consumeInvitation(transaction, hash);
    const author: AccountAuthor = { actor: { kind: 'account', id }, origin };
    const account =
      known ??
      (await createAccount(transaction, author, {
        id,
        email,
        passwordHash,
        displayName: displayName ?? null,
        isPlatformAdmin: false,
        emailVerified: true,
      }));
    const membership = await addMember(transaction, author, invitation, account);
    return {
      isNew: !known,
      signedIn: { ...(await createSession(transaction, services, account, origin)), membership },
    };
  });
}

/** Accepts an invitation with the signed-in account. Throws not_found, and forbidden if the invitation is for another address. */
export async function joinWorkspace(
  { database, vault }: InvitationServices,
  author: AccountAuthor,
  token: string,
): Promise<Membership> {
  return database.forAccount(author.actor.id).transaction(async (transaction) => {
    const invitation = await consumeInvitation(transaction, vault.fingerprint(token));
    const account = await findAccount(transaction, author.actor.id);
    if (account?.email !== invitation.email)
      throw new ProblemError(
        'forbidden',
        `The invitation is for ${invitation.email}. Sign in with that address.`,
      );
    return addMember(transaction, author, invitation, account);
  });
}

async function requireInvitation(db: Querier, hash: Buffer): Promise<MailedInvitation> {
  const invitation = await findInvitationOfToken(db, hash);
  if (!invitation) throw invitationNotFound();
  return invitation;
}

/** Ends an invitation in the caller's transaction. The team is locked first, as in all transactions that change the team. */
async function consumeInvitation(transaction: Querier, hash: Buffer): Promise<MailedInvitation> {
  const invitation = await requireInvitation(transaction, hash);
  await enterScope(transaction, 'workspace_id', invitation.workspaceId);
  await lockWorkspace(transaction, invitation.workspaceId);
  if (!(await endInvitation(transaction, invitation.id))) throw invitationNotFound();
  return invitation;
}

async function addMember(
  transaction: Querier,
  author: AccountAuthor,
  { id: invitationId, workspaceId, workspaceName, workspaceSlug, role, invitedBy }: MailedInvitation,
  account: Pick<AccountWithPassword, 'id' | 'email'>,
): Promise<Membership> {
  // The token was mailed, so the caller can read the mailbox of the address.
  await markVerified(transaction, account.id);
  await insertMembership(transaction, { workspaceId, accountId: account.id, role });
  await audit(transaction, {
    ...author,
    action: 'member.joined',
    workspaceId,
    targetId: account.id,
    details: { after: { email: account.email, role }, invitationId, invitedBy },
  });
  return { workspaceId, workspaceName, workspaceSlug, role };
}

function invitationNotFound(): ProblemError {
  return new ProblemError('invitation_not_found');
}
