import { createVault } from '../security/vault.ts';

/** The master key of all servers under test. */
export const TEST_MASTER_KEY = '5'.repeat(64);

/** The vault of these servers. With it, a test computes fingerprints that they look up, and opens what they have sealed. */
export const vault = createVault(Buffer.from(TEST_MASTER_KEY, 'hex'));
