import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePgn } from './parse-pgn.ts';

const movesOf = (text: string) => parsePgn(text).map((game) => game.moves.join(' '));

describe('parsePgn', () => {
  test('reads tags, moves and the result of a game', () => {
    assert.deepEqual(parsePgn('[White "Ada"]\n[Black "The \\"Duke\\""]\n\n1. e4 e5 2.Nf3 Nc6 1-0\n'), [
      {
        tags: { White: 'Ada', Black: 'The "Duke"' },
        moves: ['e4', 'e5', 'Nf3', 'Nc6'],
        blackBegins: false,
        result: '1-0',
      },
    ]);
  });

  test('keeps the notation of every kind of move', () => {
    const text = 'e4 exd5 Nbd7 R1f2 Qh4xe1 Bxf7+ O-O O-O-O e8=Q+ fxg1=N# Kxe8 Rfe8+';
    assert.deepEqual(movesOf(text), [text]);
  });

  test('ignores comments, nested variations, annotations and escaped lines', () => {
    const text = `% written by a program: 1. a3
1. e4 {best by test [%clk 0:03:00]
[looks "like a tag"] 1. d4} e5 $1 ; not 1... c5
2. Nf3! (2. f4 exf4 (2... d5 {(} 3. exd5) 3. Bc4) (2. Nc3) 2... Nc6?! 3. Bb5 !! a6 4.Ba4 Nf6 5. exd6 e.p. *`;
    assert.deepEqual(movesOf(text), ['e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 exd6']);
  });

  test('reads several games in a file, with LF or CRLF', () => {
    const file = '[White "A"]\n\n1. e4 1-0\n\n[White "B"]\n\n1. d4 d5 1/2-1/2\n\n[White "C"]\n\n0-1\n';
    for (const text of [file, file.replaceAll('\n', '\r\n'), `\uFEFF${file}`]) {
      const games = parsePgn(text);
      assert.deepEqual(
        games.map((game) => [game.tags['White'], game.moves.length, game.result]),
        [
          ['A', 1, '1-0'],
          ['B', 2, '1/2-1/2'],
          ['C', 0, '0-1'],
        ],
      );
    }
  });

  test('ends a game without a result at the tags of the next game', () => {
    const games = parsePgn('[White "A"]\n1. e4 e5\n[White "B"]\n1. d4');
    assert.deepEqual(
      games.map((game) => [game.tags['White'], game.moves.join(' '), game.result]),
      [
        ['A', 'e4 e5', undefined],
        ['B', 'd4', undefined],
      ],
    );
  });

  test('reads castling with zeros as castling, not as a result', () => {
    assert.deepEqual(movesOf('1. 0-0 0-0-0+ 0-1'), ['O-O O-O-O+']);
  });

  test('recognizes a game that Black begins', () => {
    assert.equal(parsePgn('12... Nf6 13. e5')[0]?.blackBegins, true);
    assert.equal(parsePgn('12. ... Nf6 13. e5')[0]?.blackBegins, true);
    assert.equal(parsePgn('1. e4 e5 2. Nf3 2... Nc6')[0]?.blackBegins, false);
  });

  test('refuses invalid PGN with the number of the line', () => {
    assert.throws(() => parsePgn('[White "A"]\n\n1. e4 e9 1-0'), /line 3: "e9 1-0" is not understood/);
    assert.throws(() => parsePgn('1. e4 {never closed'), /line 1/);
    assert.throws(() => parsePgn('1. e4 ) e5'), /line 1/);
    assert.throws(() => parsePgn('1. e4 (1. d4'), /a variation is not closed/);
  });

  test('returns no game for an empty text', () => assert.deepEqual(parsePgn(' \n'), []));
});
