import { checkTenants } from './tenant-matrix.ts';
import { startWorld } from './world.ts';

await checkTenants(await startWorld());
