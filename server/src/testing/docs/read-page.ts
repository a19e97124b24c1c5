/** The instruction of a comment before a fence. */
interface Marks {
  /** The reason why the fence is not run. */
  notRun?: string;
  /** The reason why a JSON fence is not compared with an answer. */
  notCompared?: string;
  /** The status of the last answer, if it is not a success. */
  answers?: number;
}

/** A fenced block of code on a page. */
export interface Fence {
  /** The line of the opening fence, from 1. */
  line: number;
  language: string;
  code: string;
  marks: Marks;
}

const OPENING = /^( *)```(\S*)\s*$/;
const COMMENT = /^ *<!-- (.*?) -->$/;

/** Reads the fences of a page of Markdown. Throws if a fence has no end or a comment has an unknown form. */
export function readFences(text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = OPENING.exec(lines[at]!);
    if (!opening) continue;
    const [, indent = '', language = ''] = opening;
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```');
    if (end === -1) throw new Error(`The fence of line ${at + 1} has no end.`);
    const code = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    fences.push({ line: at + 1, language, code: code.join('\n'), marks: readMarks(lines, at) });
    at = end;
  }
  return fences;
}

/** Reads the comment lines directly before a fence. */
function readMarks(lines: string[], fenceAt: number): Marks {
  const marks: Marks = {};
  for (let at = fenceAt - 1; at >= 0; at--) {
    const [, comment] = COMMENT.exec(lines[at]!) ?? [];
    if (comment === undefined) break;
    const [, notRun] = /^not run: (.{8,})$/.exec(comment) ?? [];
    const [, notCompared] = /^not compared: (.{8,})$/.exec(comment) ?? [];
    const [, answers] = /^answers (\d{3})$/.exec(comment) ?? [];
    if (notRun) marks.notRun = notRun;
    else if (notCompared) marks.notCompared = notCompared;
    else if (answers) marks.answers = Number(answers);
    else throw new Error(`The comment of line ${at + 1} has an unknown form: ${comment}`);
  }
  return marks;
}

/** The name of the file that a fence shows, if its first line is a comment such as `# check.py: …` or `// sign-in.mjs`. */
export function fileNameOf({ code }: Fence): string | undefined {
  return /^(?:\/\/|#) ([a-z0-9-]+\.[a-z]+)\b/.exec(code)?.[1];
}
