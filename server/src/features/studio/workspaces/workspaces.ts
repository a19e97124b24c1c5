import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import { isUniqueViolation } from '../../../database/errors.ts';
import type { Author } from '../../../core/author.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { newId } from '../../../core/ids.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { slugCandidates } from '../../../core/text.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import {
  countOwnedWorkspaces,
  countWorkspaces,
  findWorkspace,
  insertMembership,
  insertWorkspace,
  listWorkspaces,
  lockOwner,
  lockWorkspace,
  updateWorkspace,
  type Workspace,
} from './queries.ts';

/** Returns a page of the workspaces that an account is a member of. */
export async function readWorkspaces(db: Querier, accountId: string, page: PageRequest) {
  return readPage(page, listWorkspaces(db, accountId, page), countWorkspaces(db, accountId));
}

/** Returns a workspace. Throws not_found if the account is not a member. */
export async function readWorkspace(db: Querier, workspaceId: string, accountId: string): Promise<Workspace> {
  const found = await findWorkspace(db, workspaceId, accountId);
  if (!found) throw new ProblemError('not_found');
  return found;
}

export interface NewWorkspace {
  name: string;
  slug?: string | undefined;
  /** The account that becomes the owner. */
  ownerId: string;
}

/**
 * Creates a workspace in the caller's transaction. If no slug is given, the slug is derived from the name. Throws invalid_request,
 * workspace_limit and slug_taken.
 */
export async function createWorkspace(
  transaction: Querier,
  author: Author,
  { name, slug: wanted, ownerId }: NewWorkspace,
): Promise<Workspace> {
  requireDisplayName(name, 'name');
  const id = newId();
  await enterScope(transaction, 'account_id', ownerId);
  await enterScope(transaction, 'workspace_id', id);
  await requireRoomForWorkspace(transaction, ownerId);
  const slug = await insertWithSlug(transaction, { id, name, slug: wanted });
  await insertMembership(transaction, { workspaceId: id, accountId: ownerId, role: 'owner' });
  await audit(transaction, {
    ...author,
    action: 'workspace.created',
    workspaceId: id,
    targetId: id,
    details: { after: { name, slug, ownerId } },
  });
  const created = await findWorkspace(transaction, id, ownerId);
  if (!created) throw new Error('The new workspace was not found.');
  return created;
}

/** How many workspaces an account may own when it creates one. A platform administrator has no limit. */
const MAX_OWNED_WORKSPACES = 1_000;

async function requireRoomForWorkspace(transaction: Querier, ownerId: string): Promise<void> {
  const owner = await lockOwner(transaction, ownerId);
  if (owner?.isPlatformAdmin) return;
  if ((await countOwnedWorkspaces(transaction, ownerId)) >= MAX_OWNED_WORKSPACES)
    throw new ProblemError(
      'workspace_limit',
      `The account owns ${MAX_OWNED_WORKSPACES} workspaces. Make another member the owner of one and leave it first.`,
    );
}

async function insertWithSlug(
  transaction: Querier,
  { id, name, slug }: { id: string; name: string; slug: string | undefined },
): Promise<string> {
  for (const candidate of slug === undefined ? slugCandidates(name, 'workspace') : [slug]) {
    if (await insertWorkspace(transaction, { id, name, slug: candidate })) return candidate;
  }
  throw new ProblemError('slug_taken');
}

/** Changes the name or the slug of a workspace. Throws invalid_request, not_found and slug_taken. */
export async function changeWorkspace(
  database: Database,
  author: Author,
  workspaceId: string,
  change: { name?: string; slug?: string },
): Promise<void> {
  if (change.name !== undefined) requireDisplayName(change.name, 'name');
  try {
    await database.forWorkspace(workspaceId).transaction(async (transaction) => {
      const before = await lockWorkspace(transaction, workspaceId);
      if (!before) throw new ProblemError('not_found');
      const { name = before.name, slug = before.slug } = change;
      const details = difference(before, { name, slug });
      if (!details) return;
      await updateWorkspace(transaction, workspaceId, { name, slug });
      await audit(transaction, {
        ...author,
        action: 'workspace.updated',
        workspaceId,
        targetId: workspaceId,
        details,
      });
    });
  } catch (error) {
    throw isUniqueViolation(error, 'workspaces_slug_key') ? new ProblemError('slug_taken') : error;
  }
}
