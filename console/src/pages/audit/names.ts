import { definitionName } from '../definitions/definition-name';
import type { AuditRecord } from './queries';

/** What records say about the names of their authors and targets, by id. The newest record counts. */
export function namesIn(records: AuditRecord[]): Map<string, string> {
  const names = new Map<string, string>();
  const add = (id: string | null, name: string | null | undefined): void => {
    if (id !== null && name && !names.has(id)) names.set(id, name);
  };
  for (const { action, actor, targetId, details } of records) {
    add(actor.id, actor.email);
    // The target is the workspace, and the name that of its plan.
    if (action === 'workspace.plan_changed') continue;
    for (const values of [details['after'], details, details['before']]) add(targetId, nameIn(values));
  }
  return names;
}

function nameIn(values: unknown): string | undefined {
  const { name, email, url, eventKey, eventValue, prefix } = Object(values) as Record<
    string,
    string | null | undefined
  >;
  if (eventKey) return definitionName({ eventKey, eventValue: eventValue ?? null });
  return name ?? email ?? url ?? (prefix ? `${prefix}…` : undefined);
}

/** The players among the authors and targets of records, and their games. Records of no game are of players who deleted their profile. */
export const playersIn = (records: AuditRecord[]): { tenantId: string; playerId: string }[] =>
  records.flatMap(({ tenantId, action, actor, targetId }) =>
    [actor.kind === 'player' && actor.id, action.startsWith('player.') && targetId].flatMap((playerId) =>
      tenantId && playerId ? [{ tenantId, playerId }] : [],
    ),
  );
