/** A PGN game: its tags, and its main line without numbers, comments, variations and annotations. */
export interface PgnGame {
  tags: Record<string, string>;
  /** In the notation of the file, including checks and mates (`Nf3`, `exd8=Q+`, `O-O-O`). */
  moves: string[];
  /** Whether Black made the first move, as in games that start from a position. */
  blackBegins: boolean;
  /** The result after the moves: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string | undefined;
}

const TOKENS = [
  String.raw`(?<space>\s+)`,
  String.raw`(?<escape>^%.*)`,
  String.raw`(?<tag>\[\s*(?<name>\w+)\s+"(?<value>(?:[^"\\]|\\.)*)"\s*\])`,
  String.raw`(?<comment>\{[^}]*\}|;.*)`,
  String.raw`(?<open>\()`,
  String.raw`(?<close>\))`,
  String.raw`(?<annotation>\$\d+|[!?]+|e\.p\.)`,
  String.raw`(?<result>(?:1-0|0-1|1\/2-1\/2)(?![\w/-])|\*)`,
  String.raw`(?<move>(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|[O0]-[O0](?:-[O0])?)[+#]*)(?![\w-])`,
  String.raw`(?<number>\d+(?:\s*\.)*)`,
];
const TOKEN = new RegExp(TOKENS.join('|'), 'my');

/** Parses all games of a PGN text. Throws a SyntaxError with the line of the first invalid token. */
export function parsePgn(text: string): PgnGame[] {
  const games: PgnGame[] = [];
  let game: PgnGame | undefined;
  let depth = 0;
  const current = (): PgnGame => {
    if (!game) games.push((game = { tags: {}, moves: [], blackBegins: false, result: undefined }));
    return game;
  };

  TOKEN.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.groups;
    if (!token) throw notPgn(text, at);
    if (token['open']) depth++;
    else if (token['close']) {
      if (--depth < 0) throw notPgn(text, at);
    } else if (depth > 0) continue;
    else if (token['tag']) {
      // If a game has no result, the tags of the next game end it.
      if (game && game.moves.length > 0) game = undefined;
      current().tags[token['name']!] = token['value']!.replace(/\\(.)/g, '$1');
    } else if (token['number']) {
      if (current().moves.length === 0 && /\.\s*\.\s*\.$/.test(token['number'])) current().blackBegins = true;
    } else if (token['move']) {
      current().moves.push(token['move'].replaceAll('0', 'O'));
    } else if (token['result']) {
      current().result = token['result'];
      game = undefined;
    }
  }
  if (depth > 0) throw new SyntaxError('PGN: a variation is not closed.');
  return games;
}

function notPgn(text: string, at: number): SyntaxError {
  const line = text.slice(0, at).split('\n').length;
  const found = text.slice(at, at + 24).split(/\r?\n/)[0];
  return new SyntaxError(`PGN, line ${line}: "${found}" is not understood.`);
}
