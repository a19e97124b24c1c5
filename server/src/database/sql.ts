/** SQL as a tagged template: every interpolation is a parameter, and templates nest. */
export { default as sql, empty, join, type Sql } from 'sql-template-tag';
