/** SQL as a tagged template. Every interpolated value becomes a parameter, and templates can be nested. */
export { default as sql, empty, join, type Sql } from 'sql-template-tag';
