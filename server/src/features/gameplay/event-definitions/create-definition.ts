import type { Database } from '../../../database/database.ts';
import type { Exports } from '../../../http/exports.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  faultsOf,
  MOST_DEFINITIONS,
  normalisePair,
  type FullDefinition,
  type MutableFields,
} from './definition.ts';
import type { DefinitionResolver } from './resolve-definitions.ts';
import { addDefinitions } from './write-definitions.ts';

export interface DefinitionServices {
  database: Database;
  definitions: DefinitionResolver;
}

export interface DefinitionRouteServices extends DefinitionServices {
  exports: Exports;
}

/** A definition as somebody writes it. */
export interface DefinitionDraft extends Pick<MutableFields, 'eventScope' | 'isActive'> {
  eventKey: string;
  eventValue?: string | null;
  eventCategory?: string | null;
  eventDescription?: string | null;
}

/** Creates a definition. Throws invalid_request for a key or value out of bounds, duplicate_definition, definition_limit. */
export async function createDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  draft: DefinitionDraft,
  author: Author,
): Promise<FullDefinition> {
  const pair = normalisePair(draft.eventKey, draft.eventValue);
  const errors = faultsOf(pair);
  if (errors[0])
    throw new ProblemError('invalid_request', {
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
    const { created, existing } = await addDefinitions(
      transaction,
      tenantId,
      [wanted],
      MOST_DEFINITIONS,
      author,
    );
    if (existing.length > 0) throw new ProblemError('duplicate_definition');
    if (!created[0])
      throw new ProblemError(
        'definition_limit',
        `A tenant may have at most ${MOST_DEFINITIONS} event definitions.`,
      );
    return created[0];
  });
  definitions.invalidateDefinitions(tenantId);
  return created;
}
