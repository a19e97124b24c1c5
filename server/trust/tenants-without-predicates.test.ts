import assert from 'node:assert/strict';
import { after } from 'node:test';
import { removePredicates } from './remove-predicates.ts';
import { checkTenants } from './tenant-matrix.ts';
import { startWorld } from './world.ts';

// Row-level security alone separates the tenants: without `tenant_id = …` in the statements no answer changes.

const world = await startWorld();
const { withoutPredicate, unchanged } = removePredicates();
after(() => {
  console.log(
    `${withoutPredicate.size} statements without their predicate, ${unchanged.size} unchanged in other scopes`,
  );
  assert.ok(withoutPredicate.size > 60, `${withoutPredicate.size} statements had a predicate`);
});
await checkTenants(world, { pairs: 1 });
