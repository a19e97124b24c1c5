export { openProviderSettings, type ProviderSettings } from './provider-settings.ts';
