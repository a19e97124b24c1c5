export {
  validatePair,
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  normalisePair,
  pairKey,
  type Definition,
  type DefinitionPair,
  type EventScope,
} from './definition.ts';
export type { TenantDefinitions } from './definition-cache.ts';
export { createDefinitionResolver, type DefinitionResolver, type EventKind } from './resolve-definitions.ts';
export { eventDefinitionRoutes } from './routes.ts';
export { definitionCsvRoutes } from './csv-routes.ts';
