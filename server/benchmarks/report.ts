import type { LoadResult } from './closed-loop.ts';

/** Prints the result of a load. */
export function show(label: string, result: LoadResult, note = `${round(result.perSecond)}/s`): void {
  const errors = result.errors > 0 ? `, ${result.errors} ERRORS` : '';
  console.log(
    `  ${label.padEnd(42)} ${note}, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms${errors}`,
  );
}

/** A number without digits after the point, such as `1,234`. */
export function round(number: number): string {
  return Math.round(number).toLocaleString('en');
}
