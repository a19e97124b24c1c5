// The acceptance tests import nothing of the server, so the helper is theirs.
export { avoidEndOf } from '../../acceptance/avoid-end-of.ts';
