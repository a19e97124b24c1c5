export {
  faultsOf,
  MOST_FOR_AUTO_CREATE,
  normalisePair,
  pairKey,
  type Definition,
  type DefinitionPair,
  type EventScope,
} from './definition.ts';
export type { TenantDefinitions } from './known-definitions.ts';
export { createDefinitionResolver, type DefinitionResolver, type EventKind } from './resolve-definitions.ts';
export { eventDefinitionRoutes } from './routes.ts';
export { definitionCsvRoutes } from './csv-routes.ts';
