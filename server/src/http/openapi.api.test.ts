import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const { body: document } = await app.http.get('/openapi.json');

test('a member with a default is optional in a request', () => {
  const login = document.paths['/api/player-auth/login'].post.requestBody.content['application/json'].schema;
  assert.deepEqual(login.required, ['provider', 'token']);
  const list = document.paths['/api/bus_tenants/{tenantId}/events'].get.parameters as {
    name: string;
    required: boolean;
  }[];
  assert.deepEqual(
    list.filter(({ required }) => required).map(({ name }) => name),
    ['scope', 'tenantId'],
  );
});

test('the serialiser’s own format is not shown', () => {
  assert.equal(JSON.stringify(document).includes('unsafe'), false);
});
