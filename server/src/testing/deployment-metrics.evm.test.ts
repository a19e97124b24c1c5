import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProcessMetrics } from '../runtime/cluster/process-metrics.ts';
import { arrangePlayer, arrangeTenant } from './arrange.ts';
import { startTestChain } from './chain.ts';
import { parseMetrics, scrape } from './scrape.ts';
import { startTestApp } from './test-app.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const dashboard = JSON.parse(textOf('deploy/grafana/guildhall.json')) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
};
const ofDashboard = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ place: title, expr })),
);
const ofAlerts = [
  ...textOf('deploy/prometheus/alerts.yaml').matchAll(
    /- alert: (\w+)\n\s+expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/g,
  ),
].map(([, place = '', block, line]) => ({ place, expr: block ?? line ?? '' }));

/** The metrics of an expression. */
const metricsOf = (expr: string): string[] => expr.match(/\b(?:guildhall|nodejs|process)_\w+/g) ?? [];
/** The labels by which an expression groups or selects. Prometheus adds `instance` and `job`. */
const labelsOf = (expr: string): string[] =>
  [...expr.matchAll(/by \(([^)]*)\)/g), ...expr.matchAll(/\{([^}]*)\}/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((label) => label.split(/[=!~]/)[0]!.trim())
    .filter((label) => !['', 'instance', 'job', 'le'].includes(label));

// Nobody listens on this port: the metric of Redis exists all the same.
const { env } = await startTestChain();
const app = await startTestApp({ env: { ...env, REDIS_URL: 'redis://127.0.0.1:1' } });
const tenant = await arrangeTenant(app);
const player = await arrangePlayer(app, tenant);
await app.http.get('/unknown', player.caller);
await scrape(app.http);
const ofProcesses = await createProcessMetrics(() => []).read();
const text = `${(await app.http.get('/metrics')).text}\n${ofProcesses}`;
const series = parseMetrics(text);
/** The metrics of the server, some of which have no series yet. */
const known = new Set([
  ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
  ...[...text.matchAll(/^# TYPE (\S+) histogram/gm)].flatMap(([, name]) => [
    `${name}_bucket`,
    `${name}_count`,
  ]),
]);

/** The metrics that only the process of a worker has. A worker without the API serves none. */
const OF_WORKERS = /guildhall_(mails_total|webhook_attempts_total|job_duration_seconds)/;

test('one panel, which says so, and no alert needs a worker with the API', () => {
  const places = [...ofDashboard, ...ofAlerts].filter(({ expr }) => OF_WORKERS.test(expr));
  assert.deepEqual(
    places.map(({ place }) => place),
    ['Attempts of jobs (workers with the API)'],
  );
});

for (const [subject, expressions, least] of [
  ['the Grafana dashboard', ofDashboard, 25],
  ['the alert rules', ofAlerts, 14],
] as const)
  describe(subject, () => {
    test('names only metrics that the server has', () => {
      assert.ok(expressions.length >= least, 'the expressions are found');
      const unknown = expressions.flatMap(({ place, expr }) =>
        metricsOf(expr)
          .filter((name) => !known.has(name))
          .map((name) => `${place}: ${name}`),
      );
      assert.deepEqual(unknown, []);
      assert.ok(expressions.every(({ expr }) => metricsOf(expr).length > 0 || expr.startsWith('up{')));
    });

    test('names only labels that the metrics have', () => {
      const unknown = expressions.flatMap(({ place, expr }) => {
        const measured = series.filter(({ name }) => metricsOf(expr).includes(name));
        if (measured.length === 0) return [];
        const labels = new Set(measured.flatMap((one) => Object.keys(one.labels)));
        return labelsOf(expr)
          .filter((label) => !labels.has(label))
          .map((label) => `${place}: ${label}`);
      });
      assert.deepEqual(unknown, []);
    });
  });

describe('the metrics in docs/monitoring.md', () => {
  test('are those of the server', () => {
    const named = new Set(textOf('docs/monitoring.md').match(/\bguildhall_[a-z_]+/g));
    const ours = [...known].filter((name) => name.startsWith('guildhall_') && !/_(bucket|count)$/.test(name));
    assert.deepEqual(
      ours.filter((name) => !named.has(name)),
      [],
      'each metric is described',
    );
    assert.deepEqual(
      [...named].filter((name) => !known.has(name)),
      [],
    );
  });
});
