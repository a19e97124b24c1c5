import type { ChildProcess } from 'node:child_process';

const BEAT_MS = 5_000;
/** A pause for garbage collection, or of a busy machine, is shorter. */
const SILENT_MS = 30_000;

/** Sends a message to the parent process every 5 seconds, as long as the event loop of this process runs. */
export function sendHeartbeats(): void {
  // If the parent has ended, the message fails, and the end of the channel stops this process.
  setInterval(() => process.send?.('alive', undefined, undefined, () => {}), BEAT_MS).unref();
}

/**
 * Kills a process that has sent no message for 30 seconds: its event loop is blocked, or somebody has stopped it. The time is counted in
 * intervals of this process. So if both were stopped, as with Ctrl-Z, the other one has time to send its next message.
 */
export function killIfSilent(child: ChildProcess, onSilent: () => void): void {
  let silentMs = 0;
  const watch = setInterval(() => {
    silentMs += BEAT_MS;
    // One interval more, because the timers of both processes differ.
    if (silentMs <= SILENT_MS) return;
    clearInterval(watch);
    onSilent();
    // A stopped process receives no other signal.
    child.kill('SIGKILL');
  }, BEAT_MS).unref();
  child.on('message', () => (silentMs = 0));
  child.once('exit', () => clearInterval(watch));
}
