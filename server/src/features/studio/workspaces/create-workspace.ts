import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { slugCandidates } from '../../../core/text.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { findWorkspace, insertMembership, insertWorkspace, type Workspace } from './queries.ts';

export interface NewWorkspace {
  name: string;
  slug?: string | undefined;
  /** The account that becomes the owner. */
  ownerId: string;
}

/**
 * Creates a workspace in the caller's transaction. If no slug is given, the slug is derived from the name. Throws slug_taken.
 */
export async function createWorkspace(
  transaction: Querier,
  author: Author,
  { name, slug: wanted, ownerId }: NewWorkspace,
): Promise<Workspace> {
  const id = newId();
  const slug = await insertWithSlug(transaction, { id, name, slug: wanted });
  await insertMembership(transaction, { workspaceId: id, accountId: ownerId, role: 'owner' });
  await auditTrail(transaction, [
    {
      ...author,
      action: 'workspace.created',
      workspaceId: id,
      targetId: id,
      details: { after: { name, slug, ownerId } },
    },
  ]);
  const created = await findWorkspace(transaction, id, ownerId);
  if (!created) throw new Error('The new workspace was not found.');
  return created;
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
