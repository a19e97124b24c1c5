import { writeFileSync } from 'node:fs';
import { compileLedger } from './compile.ts';

writeFileSync(new URL('guildhall-ledger.ts', import.meta.url), compileLedger());
