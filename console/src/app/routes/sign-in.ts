import { createRoute } from '@tanstack/react-router';
import { client } from '../client';
import { textParams } from '../search-params';
import { lazyPage } from './lazy-page';
import { rootRoute } from './root';

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: textParams('next', 'ended'),
  // Loads the session of all tabs: without it, the page would take an account that is signed in already for a new sign-in.
  beforeLoad: () => client.session.load(),
  ...lazyPage(() => import('../../pages/sign-in/SignInPage'), 'SignInPage'),
});

const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  ...lazyPage(() => import('../../pages/sign-in/SignUpPage'), 'SignUpPage'),
});

const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify-email',
  ...lazyPage(() => import('../../pages/sign-in/VerifyEmailPage'), 'VerifyEmailPage'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  ...lazyPage(() => import('../../pages/sign-in/ResetPasswordPage'), 'ResetPasswordPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  // The person that is invited may be signed in.
  beforeLoad: () => client.session.load(),
  ...lazyPage(() => import('../../pages/sign-in/InvitationPage'), 'InvitationPage'),
});

const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  ...lazyPage(() => import('../../pages/sign-in/WelcomePage'), 'WelcomePage'),
});

/** The pages without a session. */
export const signInRoutes = [
  signInRoute,
  signUpRoute,
  verifyEmailRoute,
  resetPasswordRoute,
  invitationRoute,
  welcomeRoute,
];
