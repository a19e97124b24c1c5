import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outboxState } from './outbox-sender.ts';

const calls = (...nonces: number[]) => nonces.map((nonce) => ({ nonce }));

describe('outboxState', () => {
  test('is in step if the nonces continue those of the chain', () => {
    assert.equal(outboxState(calls(7, 8, 9), 7), 'in_step');
    assert.equal(outboxState(calls(), 7), 'in_step');
  });

  test('is out of step if a nonce was used elsewhere, or if a call is missing', () => {
    assert.equal(outboxState(calls(7, 8), 8), 'out_of_step');
    assert.equal(outboxState(calls(7, 9), 7), 'out_of_step');
    assert.equal(outboxState(calls(8), 7), 'out_of_step');
  });
});
