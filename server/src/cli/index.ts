#!/usr/bin/env node
import process from 'node:process';

// SIGUSR2 replaces the processes of a server. Without a handler, it ends the process, also while a server loads its code.
process.on('SIGUSR2', () => {});
await import('./program.ts');
