/** How often the line is updated on a terminal. */
const UPDATE_EVERY_MS = 250;
const LOG_EVERY_MS = 10_000;

/**
 * Shows the progress of long work on the standard error until it ends: one line that is updated on a terminal, or a new line every ten
 * seconds in a log. Calls `line` four times per second.
 */
export async function withProgress<Result>(line: () => string, work: () => Promise<Result>): Promise<Result> {
  const { stderr } = process;
  let loggedAt = performance.now();
  const show = (): void => {
    const text = line();
    if (stderr.isTTY) {
      stderr.write(`\r${text.slice(0, (stderr.columns || 80) - 1)}\u001B[K`);
    } else if (performance.now() - loggedAt >= LOG_EVERY_MS) {
      loggedAt = performance.now();
      stderr.write(`${text}\n`);
    }
  };
  const timer = setInterval(show, UPDATE_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\r\u001B[K');
  }
}
