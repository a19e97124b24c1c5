export { signInChallengeRoutes } from './routes.ts';
