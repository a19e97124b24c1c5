import { invalidField, ProblemError } from '../../../core/problem.ts';
import { playerCommand, type Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

interface GivenRecord {
  matchSessionId: number;
  score: bigint;
  key: string;
  value: string;
  /** Indices of other players that the record is about. */
  otherPlayers: number[];
}

/** Adds a record to the player's own match. Throws match_ended after the player's part in it has ended. */
export function addRecord(actor: Actor, given: GivenRecord): Command<{ id: number }> {
  const { matchSessionId, key, value, otherPlayers } = given;
  if (otherPlayers.includes(actor.playerIndex))
    throw invalidField('otherPlayers', 'must not contain the player who sends the record');

  return playerCommand(actor, { playerIndexes: otherPlayers, matches: [matchSessionId] }, (state, player) => {
    state.openPart(player, matchSessionId);
    const unknown = otherPlayers.filter((index) => !state.hasPlayer(index));
    if (unknown.length > 0) throw noSuchPlayers(unknown);
    const id = state.next('records');
    const body = { id, matchSessionId, score: String(given.score), key, value, otherPlayers };
    return { entry: { kind: 'record.added', body }, answer: { id } };
  });
}

function noSuchPlayers(unknown: number[]): ProblemError {
  return new ProblemError('player_not_found', {
    detail: `The tenant has no player with the index ${unknown.join(', ')}.`,
    members: {
      errors: unknown.map((index) => ({
        path: 'otherPlayers',
        message: `${index} is not a player of the tenant`,
      })),
    },
  });
}
