import type { NewEntry } from './ledger-entry.ts';
import type { LedgerState, Needs } from './ledger-state.ts';

/** Something to be recorded: all rules about it are in `apply`, and nowhere else. */
export interface Command<Answer extends object> {
  needs: Needs;
  /**
   * Changes the state, and says what is to be entered (nothing, where it is so already) and answered. Throws a ProblemError where
   * the rules forbid it, and has changed nothing then. Runs again where the transaction is tried again.
   */
  apply(state: LedgerState): { entry?: NewEntry; answer: Answer };
}
