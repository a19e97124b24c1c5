import { readFileSync } from 'node:fs';
import type { Fault, FaultAction } from './fault-proxy.ts';

/** One step of a case. sdk/test/conformance.api.test.ts carries the steps out. */
export interface Step {
  do: string;
  times?: number;
  count?: number;
  tabs?: number;
  event?: Record<string, unknown>;
  faults?: Fault[];
  player?: string;
  fault?: FaultAction;
  state?: string;
  stored?: number;
  progress?: Record<string, unknown>;
}

export interface ConformanceCase {
  name: string;
  options?: Record<string, number>;
  faults?: Fault[];
  steps: Step[];
  expect: {
    accepted?: number;
    isSignedIn?: boolean;
    ended?: string[];
    requests?: Record<string, number>;
    stored?: number;
    refused?: number[];
    progress?: Record<string, unknown>;
    atLeastMs?: number;
    states?: string[];
    values?: string[];
    droppedReason?: string;
    acceptedAndDropped?: number;
  };
}

/** Reads a file of cases of this folder. */
export function readCases(file: string): ConformanceCase[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (JSON.parse(text) as { cases: ConformanceCase[] }).cases;
}
