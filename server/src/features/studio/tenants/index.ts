export { createActiveTenants } from './active-tenants.ts';
export { createTenant } from './create-tenant.ts';
export { providerRoutes } from './provider-routes.ts';
export { createProviderSettings, type ProviderSettings } from './provider-settings.ts';
export { providers, type Provider } from './providers.ts';
export { findActiveTenant, findDemoTenant, findTenant, listTenantIds } from './queries.ts';
export { readTenant } from './read-tenants.ts';
export { setProvider } from './set-provider.ts';
export { tenantRoutes } from './tenant-routes.ts';
