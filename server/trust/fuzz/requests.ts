import { createRequests } from '../requests.ts';
import type { ValidRequest } from '../valid-request.ts';
import { arrangeStudio, type Operation, type Studio, type World } from '../world.ts';

/** Makes valid requests of one operation, in studios that no other operation uses at the same time. */
export interface Source {
  /** Makes a request with everything that it refers to. `newStudio`: after requests that a full or changed studio refused. */
  make(newStudio?: boolean): Promise<ValidRequest>;
  /** Leaves the studio to other operations. */
  close(): void;
}

/** A workspace may send 120 webhook tests a minute, and has at most 20,000 definitions. A request may send two tests. */
const REQUESTS_PER_STUDIO = 50;

/** Operations that change a whole studio, so that no other one can use it afterwards. */
const CHANGES_STUDIO =
  /^(updateEventDefinitionSettings|updateTenant|disableTenant|updateProvider|updatePlan|updateWorkspace)$/;

/** Opens sources of requests. */
export async function openSources(world: World): Promise<(operation: Operation) => Source> {
  const requests = await createRequests(world);
  const free: { studio: Studio; made: number }[] = [];
  return (operation) => {
    let current: { studio: Studio; made: number } | undefined;
    return {
      async make(newStudio = false) {
        if (newStudio) current = undefined;
        else current ??= free.pop();
        if (current && current.made < REQUESTS_PER_STUDIO) {
          await resetStudio(world, current.studio);
          current.made++;
          // Requests of other operations may have used the limits of the studio up.
          const made = await requests.make(operation, current.studio).catch(() => undefined);
          if (made) return made;
        }
        current = { studio: await arrangeStudio(world), made: 1 };
        return requests.make(operation, current.studio);
      },
      close() {
        if (current && !CHANGES_STUDIO.test(operation.operationId)) free.push(current);
      },
    };
  };
}

/** Enables what an earlier request may have disabled or limited. */
export async function resetStudio({ app }: World, { tenant }: Studio): Promise<void> {
  await app.owner.query(
    `WITH enabled AS (UPDATE tenants SET disabled_at = NULL WHERE id = $1),
       providers AS (UPDATE provider_settings SET enabled = true WHERE tenant_id = $1)
     UPDATE workspaces SET monthly_units = NULL, hard_stop = DEFAULT, requests_per_minute = DEFAULT, requests_per_hour = DEFAULT,
       max_match_event_records_per_request = DEFAULT, max_player_event_records_per_request = DEFAULT WHERE id = $2`,
    [tenant.tenantId, tenant.workspaceId],
  );
}
