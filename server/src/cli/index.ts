#!/usr/bin/env node
import process from 'node:process';
import { keepCompiledCode } from './compile-cache.ts';

// SIGUSR2 replaces the processes of a server. Without a handler, it ends the process, even while a server loads its code.
process.on('SIGUSR2', () => {});
keepCompiledCode();
await import('./program.ts');
