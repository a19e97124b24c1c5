import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readGames } from './read-games.ts';

const only = (pgn: string) => readGames('x.pgn', pgn)[0]!;

describe('readGames', () => {
  test('reads a CSV row as a game with id, start, players, result and moves', () => {
    const csv =
      'Event,White,Black,Result,GameId,UTCDate,UTCTime,Moves\n' +
      '"Arena, blitz",ada,bob,0-1,Ab3dEf9h,2025.04.26,16:51:40,1. e4 e5 2. Qh5 0-1\n' +
      'Arena,bob,ada,1-0,Zz3dEf9h,2025.04.26,16:59:00,\n';
    const [first, second] = readGames('games.CSV', csv);
    assert.deepEqual(first, {
      id: 'Ab3dEf9h',
      players: { white: 'ada', black: 'bob' },
      startedAt: new Date('2025-04-26T16:51:40Z'),
      result: '0-1',
      moves: [
        { number: 1, side: 'white', notation: 'e4' },
        { number: 2, side: 'black', notation: 'e5' },
        { number: 3, side: 'white', notation: 'Qh5' },
      ],
      tags: {
        Event: 'Arena, blitz',
        White: 'ada',
        Black: 'bob',
        Result: '0-1',
        GameId: 'Ab3dEf9h',
        UTCDate: '2025.04.26',
        UTCTime: '16:51:40',
      },
    });
    assert.deepEqual(second?.moves, []);
  });

  test('refuses CSV without moves', () => {
    assert.throws(() => readGames('games.csv', 'White,Black\na,b\n'), /no column "Moves"/);
  });

  test('gives equal games the same id, counts them once, and gives other games other ids', () => {
    const game = '[White "A"]\n[Black "B"]\n[Date "1851.06.21"]\n\n1. e4 e5 1-0\n';
    assert.equal(readGames('x.pgn', `${game}\n${game}`).length, 1);
    assert.equal(only(game.replaceAll('\n', '\r\n').replace('e4 e5', 'e4! {yes} e5')).id, only(game).id);
    assert.notEqual(only(game.replace('e5', 'e6')).id, only(game).id);
    assert.notEqual(only(game.replace('06.21', '06.22')).id, only(game).id);
    assert.match(only(`[GameId "${'x'.repeat(49)}"]\n\n1. e4`).id, /^[0-9a-f]{24}$/);
  });

  test('counts an unknown month or day as 1', () => {
    const start = (tags: string) => only(`${tags}\n\n1. e4`).startedAt.toISOString();
    assert.equal(start('[Date "1858.??.??"]'), '1858-01-01T00:00:00.000Z');
    assert.equal(start('[Date "????.??.??"]'), '1970-01-01T00:00:00.000Z');
    assert.equal(start('[White "A"]'), '1970-01-01T00:00:00.000Z');
    assert.equal(start('[Date "1999.01.20"]\n[Time "noon"]'), '1999-01-20T00:00:00.000Z');
  });

  test('gives unknown, equal and invalid player names valid names', () => {
    const players = (white: string, black: string) =>
      only(`[White "${white}"]\n[Black "${black}"]\n\n1. e4`).players;
    assert.deepEqual(players('?', '?'), { white: 'Unknown White', black: 'Unknown Black' });
    assert.deepEqual(players('NN', 'NN'), { white: 'NN', black: 'NN (Black)' });
    assert.deepEqual(players('Team: A', 'x'.repeat(80)), { white: 'Team  A', black: 'x'.repeat(48) });
  });

  test('lets Black begin if the position says so', () => {
    assert.equal(only('[FEN "8/8/8/8/8/8/8/K1k5 b - - 0 1"]\n\n1. Kd2 Kb1').moves[0]?.side, 'black');
    assert.deepEqual(
      only('40... Kd2 41. Kb1').moves.map((move) => move.side),
      ['black', 'white'],
    );
  });
});
