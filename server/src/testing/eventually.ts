// The acceptance tests import nothing of the server, so the helper is theirs.
export { eventually } from '../../acceptance/eventually.ts';
