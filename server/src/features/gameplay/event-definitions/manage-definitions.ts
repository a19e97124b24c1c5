import type { Database } from '../../../database/database.ts';
import type { Exports } from '../../../http/exports.ts';
import type { AcquireSlots } from '../../../processes/concurrency-slots.ts';
import type { Author } from '../../../core/author.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit } from '../../platform/audit/index.ts';
import { MAX_DEFINITIONS, type FullDefinition, type MutableFields } from './definition.ts';
import type { DefinitionResolver } from './resolve-definitions.ts';
import { findSettings, lockDefinitions, updateSettings } from './queries.ts';
import { addDefinitions, changeDefinitions } from './write-definitions.ts';

export interface DefinitionServices {
  database: Database;
  definitions: DefinitionResolver;
}

export interface DefinitionRouteServices extends DefinitionServices {
  exports: Exports;
  acquireSlots: AcquireSlots;
  createBudget: CreateBudget;
}

/** The fields of a new definition. Key and value are normalised. */
interface DefinitionDraft extends Pick<MutableFields, 'eventScope' | 'isActive'> {
  eventKey: string;
  eventValue?: string | null;
  eventCategory?: string | null;
  eventDescription?: string | null;
}

/** Creates a definition. Throws `duplicate_definition` and `definition_limit`. */
export async function createDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  draft: DefinitionDraft,
  author: Author,
): Promise<FullDefinition> {
  const wanted = {
    eventKey: draft.eventKey,
    eventValue: draft.eventValue || null,
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
      MAX_DEFINITIONS,
      author,
    );
    if (existing.length > 0) throw new ProblemError('duplicate_definition');
    if (!created[0])
      throw new ProblemError(
        'definition_limit',
        `A tenant may have at most ${MAX_DEFINITIONS} event definitions.`,
      );
    return created[0];
  });
  definitions.invalidateDefinitions(tenantId);
  return created;
}

/** Changes fields of a definition. Null or an empty string clears the category or the description. Throws `not_found`. */
export async function changeDefinition(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  definitionId: string,
  changes: Partial<MutableFields>,
  author: Author,
): Promise<FullDefinition> {
  const changed = await database.forTenant(tenantId).transaction(async (transaction) => {
    const [definition] = await lockDefinitions(transaction, tenantId, [definitionId]);
    if (!definition) throw new ProblemError('not_found', 'The tenant does not have this event definition.');
    const [written] = await changeDefinitions(transaction, tenantId, [{ definition, changes }], author);
    return written ?? definition;
  });
  definitions.invalidateDefinitions(tenantId);
  return changed;
}

/** Reads the auto-create setting. Throws not_found. */
export async function readSettings(database: Database, tenantId: string): Promise<{ autoCreate: boolean }> {
  const settings = await findSettings(database.forTenant(tenantId), tenantId);
  if (!settings) throw new ProblemError('not_found');
  return settings;
}

/** Turns auto-create on or off. Writes an audit record only if the setting changes. */
export async function changeSettings(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  after: { autoCreate: boolean },
  author: Author,
): Promise<{ autoCreate: boolean }> {
  await database.forTenant(tenantId).transaction(async (transaction) => {
    if (!(await updateSettings(transaction, tenantId, after.autoCreate))) return;
    const details = { before: { autoCreate: !after.autoCreate }, after };
    await audit(transaction, {
      ...author,
      action: 'event_definition_settings.updated',
      tenantId,
      targetId: tenantId,
      details,
    });
  });
  definitions.invalidateSettings(tenantId);
  return after;
}
