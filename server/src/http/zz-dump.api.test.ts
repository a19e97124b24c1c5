import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { startTestApp } from '../testing/test-app.ts';
test('dump', async () => {
  const app = await startTestApp();
  writeFileSync('/tmp/openapi.json', (await app.http.get('/openapi.json')).text);
});
