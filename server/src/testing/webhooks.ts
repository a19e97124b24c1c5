import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import type { Caller } from './http-client.ts';
import type { TestApp } from './test-app.ts';

/** Creates a webhook under `path`, and returns its calls as this caller. */
export async function arrangeWebhook(
  { http }: Pick<TestApp, 'http'>,
  path: string,
  caller: Caller,
  body: { url: string; eventTypes?: string[] },
) {
  const answer = await http.post(path, body, caller);
  assert.equal(answer.status, 201, answer.text);
  const { id, secret } = answer.body as { id: string; secret: string };
  const at = `${path}/${id}`;
  const call = async (method: string, rest: string, sent?: object) => {
    const json = sent && JSON.stringify(sent);
    const { status, body: answered, text } = await http.raw(method, at + rest, json, caller);
    assert.ok(status < 300, text);
    return answered;
  };
  return {
    id,
    secret,
    read: () => call('GET', ''),
    change: (change: object) => call('PATCH', '', change),
    delete: () => call('DELETE', ''),
    rotate: async (overlapSeconds: number): Promise<string> =>
      (await call('POST', '/rotate-secret', { overlapSeconds })).secret,
    /** Sends a test delivery, and returns its id. */
    test: async (): Promise<string> => (await call('POST', '/test')).id,
    delivery: (deliveryId: string) => call('GET', `/deliveries/${deliveryId}`),
    count: async (status: string): Promise<number> =>
      (await call('GET', `/deliveries?status=${status}`)).totalCount,
    redeliver: (deliveryId: string) =>
      http.post(`${at}/deliveries/${deliveryId}/redeliver`, undefined, caller),
    /** Waits until a delivery has these values. */
    async becomes(deliveryId: string, wanted: Record<string, unknown>) {
      const holds = async () => {
        const delivery = await call('GET', `/deliveries/${deliveryId}`);
        return Object.entries(wanted).every(([name, value]) => delivery[name] === value);
      };
      await eventually(holds).catch(async (error: Error) => {
        throw new Error(JSON.stringify(await call('GET', `/deliveries/${deliveryId}`)), { cause: error });
      });
    },
  };
}

/** Makes the next attempts of one or all deliveries due now. Returns how many. */
export async function hurryDeliveries(
  { owner }: Pick<TestApp, 'owner'>,
  deliveryId?: string,
): Promise<number> {
  const { rowCount } = await owner.query(
    `UPDATE pgboss.job SET start_after = now()
     WHERE name = 'webhook-delivery' AND state IN ('created', 'retry') AND coalesce(data->>'deliveryId' = $1, true)`,
    [deliveryId],
  );
  return rowCount ?? 0;
}
