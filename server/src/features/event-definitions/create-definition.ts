import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { faultsOf, normalisePair, type FullDefinition, type MutableFields } from './definition.ts';
import type { DefinitionResolver } from './resolve-definitions.ts';
import { addDefinitions } from './write-definitions.ts';

export interface DefinitionServices {
  database: Database;
  definitions: DefinitionResolver;
}

/** A definition as somebody writes it. */
export interface DefinitionDraft extends Pick<MutableFields, 'eventScope' | 'isActive'> {
  eventKey: string;
  eventValue?: string | null;
  eventCategory?: string | null;
  eventDescription?: string | null;
}

/** Creates a definition. Throws invalid_request for a key or value out of bounds, duplicate_definition. */
export async function createDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  draft: DefinitionDraft,
  author: Author,
): Promise<FullDefinition> {
  const pair = normalisePair(draft.eventKey, draft.eventValue);
  const errors = faultsOf(pair);
  if (errors[0])
    throw new Problem('invalid_request', {
      detail: `The body is not valid: ${errors[0].path} ${errors[0].message}.`,
      members: { errors },
    });

  const wanted = {
    ...pair,
    eventScope: draft.eventScope,
    eventCategory: draft.eventCategory || null,
    eventDescription: draft.eventDescription || null,
    isActive: draft.isActive,
  };
  const created = await database.forTenant(tenantId).transaction(async (transaction) => {
    const [definition] = await addDefinitions(transaction, tenantId, [wanted], author);
    if (!definition) throw new Problem('duplicate_definition');
    return definition;
  });
  definitions.forgetDefinitions(tenantId);
  return created;
}
