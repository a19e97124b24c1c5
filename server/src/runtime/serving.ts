import type { ReferenceAccess } from './demo.ts';

export interface ServeOptions {
  /** Whether the server also does the background work. */
  worker: boolean;
  /** How many processes answer requests. */
  processes: number;
}

/** The serving part of a server, without its storage. */
export interface Serving {
  url: string;
  /** Set if the demo was created. */
  reference: ReferenceAccess | undefined;
  log: { info(line: string): void };
  reload(): Promise<void>;
  stop(): Promise<void>;
}
