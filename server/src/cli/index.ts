#!/usr/bin/env node
import process from 'node:process';

// SIGUSR2 replaces the processes of a server. By default it ends a process: another command, and a server that still loads its code.
process.on('SIGUSR2', () => {});
await import('./program.ts');
