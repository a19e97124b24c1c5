import { sql, type Sql } from './sql.ts';

/** The greatest code point. A text followed by it sorts after all continuations of the text. */
const LAST_CHARACTER = '\u{10FFFF}';

/** The condition that a search form begins with a text. It is a range, because row-level security keeps LIKE from using an index. */
export const beginsWith = (column: Sql, text: string): Sql => sql`
    ${column} >= guildhall_search_form(${text}) AND ${column} < guildhall_search_form(${text}) || ${LAST_CHARACTER}`;
