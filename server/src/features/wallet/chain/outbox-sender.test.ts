import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { continuesNonces } from './outbox-sender.ts';

const calls = (...nonces: number[]) => nonces.map((nonce) => ({ nonce }));

describe('continuesNonces', () => {
  test('returns true if the nonces continue those of the chain', () => {
    assert.equal(continuesNonces(calls(7, 8, 9), 7), true);
    assert.equal(continuesNonces(calls(), 7), true);
  });

  test('returns false if a nonce was used elsewhere, or if a call is missing', () => {
    assert.equal(continuesNonces(calls(7, 8), 8), false);
    assert.equal(continuesNonces(calls(7, 9), 7), false);
    assert.equal(continuesNonces(calls(8), 7), false);
  });
});
