import type { Author } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail, difference } from '../audit/index.ts';
import type { DefinitionServices } from './create-definition.ts';
import type { FullDefinition, MutableFields } from './definition.ts';
import { lockDefinition, updateDefinition } from './queries.ts';

/**
 * Changes the given fields of a definition; null or an empty text clears the category and the description. A change that
 * changes nothing is neither written nor audited. Throws not_found.
 */
export async function changeDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  definitionId: string,
  changes: Partial<MutableFields>,
  author: Author,
): Promise<FullDefinition> {
  const changed = await database.forTenant(tenantId).transaction(async (transaction) => {
    const definition = await lockDefinition(transaction, tenantId, definitionId);
    if (!definition) throw new Problem('not_found', 'The tenant has no such event definition.');
    const before = mutableFields(definition);
    const after = mutableFields({ ...definition, ...changes });
    const details = difference(before, after);
    if (!details) return definition;
    await auditTrail(transaction, [
      { ...author, action: 'event_definition.updated', tenantId, targetId: definitionId, details },
    ]);
    return updateDefinition(transaction, tenantId, definitionId, after);
  });
  definitions.forgetDefinitions(tenantId);
  return changed!;
}

function mutableFields(definition: MutableFields): MutableFields {
  const { eventScope, eventCategory, eventDescription, isActive } = definition;
  return {
    eventScope,
    eventCategory: eventCategory || null,
    eventDescription: eventDescription || null,
    isActive,
  };
}
