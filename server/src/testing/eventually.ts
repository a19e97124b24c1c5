import assert from 'node:assert/strict';

/** Waits for what other processes are told of: within moments, and never longer than two seconds. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('It did not come true within two seconds.');
}
