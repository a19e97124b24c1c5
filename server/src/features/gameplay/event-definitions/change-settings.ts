import type { Author } from '../../../core/author.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { DefinitionServices } from './create-definition.ts';
import { updateSettings } from './queries.ts';

/** Sets whether events may create definitions, and audits it where it was otherwise before. */
export async function changeSettings(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  after: { autoCreate: boolean },
  author: Author,
): Promise<{ autoCreate: boolean }> {
  await database.forTenant(tenantId).transaction(async (transaction) => {
    if (!(await updateSettings(transaction, tenantId, after.autoCreate))) return;
    const details = { before: { autoCreate: !after.autoCreate }, after };
    await auditTrail(transaction, [
      { ...author, action: 'event_definition_settings.updated', tenantId, targetId: tenantId, details },
    ]);
  });
  definitions.invalidateSettings();
  return after;
}
