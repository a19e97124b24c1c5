import { problemCatalogue } from '../../server/src/core/problem-catalogue.ts';

/** The file with the type of the server's error codes. */
export function errorCodesText(): string {
  const codes = Object.keys(problemCatalogue).toSorted();
  return `// Generated from the server's errors by \`npm run generate --workspace sdk\`. Do not edit.

/** The code of an error of the server. docs/errors.md explains each. */
export type ServerErrorCode =
${codes.map((code) => `  | '${code}'`).join('\n')};
`;
}
