import { enterScope, type Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { slugCandidates } from '../../../core/text.ts';
import { audit } from '../../platform/audit/index.ts';
import {
  countOwnedWorkspaces,
  findWorkspace,
  insertMembership,
  insertWorkspace,
  lockOwner,
  type Workspace,
} from './queries.ts';

interface NewWorkspace {
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
const MAX_OWNED_WORKSPACES = 100;

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
