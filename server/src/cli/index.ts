#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { COMPILE_CACHE } from './compile-cache.ts';

// SIGUSR2 replaces the processes of a server. Without a handler, it ends the process, also while a server loads its code.
process.on('SIGUSR2', () => {});
// A user who cannot write to the folder loads the code as if there were none.
enableCompileCache(COMPILE_CACHE);
// The processes that this one starts use it from their first module on.
process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
await import('./program.ts');
