import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { DefinitionServices } from './create-definition.ts';
import type { FullDefinition, MutableFields } from './definition.ts';
import { lockDefinitions } from './queries.ts';
import { changeDefinitions } from './write-definitions.ts';

/** Changes the given fields of a definition; null or an empty text clears the category and the description. Throws not_found. */
export async function changeDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  definitionId: string,
  changes: Partial<MutableFields>,
  author: Author,
): Promise<FullDefinition> {
  const changed = await database.forTenant(tenantId).transaction(async (transaction) => {
    const [definition] = await lockDefinitions(transaction, tenantId, [definitionId]);
    if (!definition) throw new ProblemError('not_found', 'The tenant has no such event definition.');
    const [written] = await changeDefinitions(transaction, tenantId, [{ definition, changes }], author);
    return written ?? definition;
  });
  definitions.invalidateDefinitions(tenantId);
  return changed;
}
