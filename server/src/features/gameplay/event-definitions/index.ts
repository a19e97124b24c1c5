export {
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  MAX_KEY_LENGTH,
  pairKey,
  type Definition,
  type DefinitionPair,
} from './definition.ts';
export type { TenantDefinitions } from './definition-cache.ts';
export { createDefinitionResolver, type DefinitionResolver } from './resolve-definitions.ts';
export { eventDefinitionRoutes } from './routes.ts';
export { protectCell } from './csv-cells.ts';
export { definitionCsvRoutes } from './csv-routes.ts';
