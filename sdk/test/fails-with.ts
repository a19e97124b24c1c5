import assert from 'node:assert/strict';
import { GuildhallError } from '../src/index.ts';

/** For `assert.rejects`: the error has this code and status. */
export const failsWith = (code: string, status: number) => (error: unknown) => {
  assert.ok(error instanceof GuildhallError, String(error));
  assert.deepEqual([error.code, error.status], [code, status]);
  return true;
};
