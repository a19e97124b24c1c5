import pg from 'pg';

/** The statements that name a tenant. */
export interface TenantStatements {
  /** Those in the scope of a tenant. They run without `tenant_id = …`. */
  withoutPredicate: Set<string>;
  /** Those in other scopes: of a player, a workspace or the platform. They run unchanged. */
  unchanged: Set<string>;
}

const PREDICATE = /\b(?:\w+\.)?tenant_id = (\$\d+)/g;

/** Removes the predicate `tenant_id = …` from each statement that the application runs in the scope of a tenant. */
export function removePredicates(): TenantStatements {
  const statements: TenantStatements = { withoutPredicate: new Set(), unchanged: new Set() };
  const inTenant = new WeakSet<pg.Client>();
  const { query } = pg.Client.prototype;
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of query
  pg.Client.prototype.query = function (this: pg.Client, config: any, ...rest: any[]): any {
    const text: string = config.text ?? config;
    if (typeof text !== 'string') return Reflect.apply(query, this, [config, ...rest]);
    if (text.includes('SET LOCAL guildhall.tenant_id')) inTenant.add(this);
    else if (/^BEGIN|^ROLLBACK|COMMIT$/.test(text)) inTenant.delete(this);
    const rewritten = text.replaceAll(PREDICATE, '$1::uuid IS NOT NULL');
    if (rewritten === text) return Reflect.apply(query, this, [config, ...rest]);
    const isRemoved = inTenant.has(this);
    statements[isRemoved ? 'withoutPredicate' : 'unchanged'].add(text);
    // The name of a prepared statement stands for its own text.
    const sent = isRemoved ? { text: rewritten, values: config.values } : config;
    return Reflect.apply(query, this, [sent, ...rest]);
  };
  return statements;
}
