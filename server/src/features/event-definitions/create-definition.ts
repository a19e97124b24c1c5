import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import { faultsOf, normalisePair, type FullDefinition, type MutableFields } from './definition.ts';
import { insertDefinition } from './queries.ts';
import type { DefinitionResolver } from './resolve-definitions.ts';

export interface DefinitionServices {
  database: Database;
  definitions: DefinitionResolver;
}

export interface NewDefinition extends Pick<MutableFields, 'eventScope' | 'isActive'> {
  eventKey: string;
  eventValue?: string | null;
  eventCategory?: string | null;
  eventDescription?: string | null;
}

/** Creates a definition. Throws invalid_request for a key or value out of bounds, duplicate_definition. */
export async function createDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  wanted: NewDefinition,
  author: Author,
): Promise<FullDefinition> {
  const pair = normalisePair(wanted.eventKey, wanted.eventValue);
  const errors = faultsOf(pair);
  if (errors[0])
    throw new Problem('invalid_request', {
      detail: `The body is not valid: ${errors[0].path} ${errors[0].message}.`,
      members: { errors },
    });

  const created = await database.forTenant(tenantId).transaction(async (transaction) => {
    const definition = await insertDefinition(transaction, tenantId, {
      ...pair,
      id: newId(),
      eventScope: wanted.eventScope,
      eventCategory: wanted.eventCategory || null,
      eventDescription: wanted.eventDescription || null,
      isActive: wanted.isActive,
    });
    if (!definition) throw new Problem('duplicate_definition');
    const { id, createdAt: _created, updatedAt: _updated, ...after } = definition;
    await auditTrail(transaction, [
      { ...author, action: 'event_definition.created', tenantId, targetId: id, details: { after } },
    ]);
    return definition;
  });
  definitions.forgetDefinitions(tenantId);
  return created;
}
