export { openKeyAuthenticator, type KeyAuthenticator } from './authenticate-key.ts';
