import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';

/**
 * Sends requests until one is refused. Fails if that is before the expiry. A busy machine may need all the time until then for its first
 * request, so that no request must be accepted.
 */
export async function acceptedUntil(
  expiry: string | Date,
  isAccepted: () => Promise<boolean>,
): Promise<void> {
  await eventually(async () => !(await isAccepted()));
  assert.ok(Date.now() >= Number(new Date(expiry)), 'it is refused before its expiry');
}
