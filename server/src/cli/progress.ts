/** How often the line is updated on a terminal. */
const UPDATE_EVERY_MS = 250;
const LOG_EVERY_MS = 10_000;

/**
 * Shows the progress of a long command on the standard error: one line that is updated on a terminal, or a new line every ten seconds
 * in a log. Calls `line` four times per second.
 */
export function showProgress(line: () => string): { end(): void } {
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
  return {
    end() {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\r\u001B[K');
    },
  };
}
