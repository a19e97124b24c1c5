import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';

/**
 * Sends requests until one is a 401. Fails if that is before the expiry, or if another request has not the status `accepted`. A busy machine
 * may need all the time until then for its first request, so that no request must be accepted.
 */
export async function acceptedUntil(
  expiry: string | Date,
  accepted: number,
  send: () => Promise<number>,
): Promise<void> {
  await eventually(async () => {
    const status = await send();
    assert.ok(status === accepted || status === 401, String(status));
    return status === 401;
  });
  assert.ok(Date.now() >= Number(new Date(expiry)), 'it is refused before its expiry');
}
