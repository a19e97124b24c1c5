import { randomUUID } from 'node:crypto';
import { arrangeTenant } from '../src/testing/arrange.ts';
import { startRedisServer } from '../src/testing/redis-server.ts';
import { startTestApp } from '../src/testing/test-app.ts';
import { checkFaults } from './faults/check-faults.ts';
import { proxyOf } from './faults/faulty-proxy.ts';

const redis = await startRedisServer();
const proxy = await proxyOf(redis.url);
const app = await startTestApp({ env: { REDIS_URL: proxy.url, LOG_LEVEL: 'silent' } });
const { gameKey } = await arrangeTenant(app);

checkFaults({
  name: 'Redis',
  app,
  proxy,
  // Each process then counts on its own.
  statuses: [],
  use: () =>
    app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${randomUUID()}:secret` },
      { gameKey },
    ),
});
