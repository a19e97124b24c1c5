import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { NoiseReport, NoiseSettings } from './noise.ts';

const PROGRAM = fileURLToPath(new URL('noise.ts', import.meta.url));

/** Tenants who use the server as much as it allows, in a process of their own. */
export interface NoisyTenants {
  /** Begins with requests: as fast as the server answers (1), or at a share of the rates that they reached so. */
  start(share: number): void;
  /** Ends all their requests. Returns what they have done so far. */
  stop(): Promise<NoiseReport>;
  end(): void;
}

export function startNoisyTenants(settings: NoiseSettings): NoisyTenants {
  const process = fork(PROGRAM, [JSON.stringify(settings)], { execArgv: [] });
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`The process of the noisy tenants ended with ${code}.`);
  });
  ended.catch(() => {});
  return {
    start: (share) => void process.send(share),
    async stop() {
      const report = once(process, 'message') as Promise<[NoiseReport]>;
      process.send('stop');
      return (await Promise.race([report, ended]))[0];
    },
    end: () => void process.kill('SIGKILL'),
  };
}
