import type { EntryBody, NewEntry } from './ledger-entry.ts';
import type { Actor, LedgerState, WalletPlayer } from './ledger-state.ts';

/** The records that a command needs to be loaded. */
export interface Needs {
  playerIndexes?: number[];
  playerIds?: string[];
  addresses?: string[];
  sessions?: number[];
  matches?: number[];
}

/** A change to the ledger. `apply` contains all rules about it. */
export interface Command<Answer extends object> {
  needs: Needs;
  /**
   * Changes the state. Returns the answer, and the entry to write unless nothing changes. Throws a ProblemError without any change
   * if a rule forbids the command. May run again when the transaction is retried.
   */
  apply(state: LedgerState): { entry?: NewEntry; answer: Answer };
}

/** A command of the player of a token. Throws invalid_bearer if the token is not valid for the player ({@link LedgerState.actor}). */
export function playerCommand<Answer extends object>(
  actor: Actor,
  needs: Needs,
  apply: (state: LedgerState, player: WalletPlayer) => { entry: EntryBody; answer: Answer },
): Command<Answer> {
  const { playerIndex } = actor;
  return {
    needs: { ...needs, playerIndexes: [playerIndex, ...(needs.playerIndexes ?? [])] },
    apply(state) {
      const { entry, answer } = apply(state, state.actor(actor));
      return { entry: { ...entry, playerIndex }, answer };
    },
  };
}
