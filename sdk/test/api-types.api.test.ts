import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { hashDocument } from '../scripts/document.ts';
import { errorCodesText } from '../scripts/error-codes.ts';

const app = await startTestApp();

test('the generated types are those of the OpenAPI document', async () => {
  const types = await readFile(new URL('../src/api.ts', import.meta.url), 'utf8');
  const [, generatedFrom] = /^\/\/ Document: (\w+)$/m.exec(types) ?? [];
  const { body } = await app.http.get('/openapi.json');
  assert.equal(
    generatedFrom,
    hashDocument(body),
    'sdk/src/api.ts is out of date. Run `npm ci --prefix tools` once, then `npm run generate --workspace sdk`.',
  );
});

test('the error codes are those of the server', async () => {
  const codes = await readFile(new URL('../src/core/error-codes.ts', import.meta.url), 'utf8');
  assert.equal(
    codes,
    errorCodesText(),
    'Run `npm ci --prefix tools` once, then `npm run generate --workspace sdk`.',
  );
});

test('a changed type changes the hash, a changed text does not', async () => {
  const { body } = await app.http.get('/openapi.json');
  const described = structuredClone(body);
  described.components.schemas.Problem.properties.detail.description = 'Another text.';
  assert.equal(hashDocument(described), hashDocument(body));

  const changed = structuredClone(body);
  changed.components.schemas.Problem.properties.detail.type = 'integer';
  assert.notEqual(hashDocument(changed), hashDocument(body));
});
