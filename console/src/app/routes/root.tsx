import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { meQuery } from '../account';
import { client } from '../client';
import { RouteErrorPage } from '../RouteErrorPage';
import { Shell } from '../shell/Shell';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
});

/** The parent of all pages of a signed-in account. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: Shell,
  errorComponent: RouteErrorPage,
  beforeLoad: async ({ location }) => {
    if (!(await client.session.load())) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(meQuery),
});

/**
 * A page whose code is loaded when somebody goes to it. Its requests begin when its link is pointed at, or with the navigation, and
 * not only after the first rendering of the page. Nothing waits for them: the page shows its code and its data when they arrive, or
 * why they could not be loaded.
 */
export function preloadedPage<Name extends string, Params, Search>(
  load: () => Promise<
    { [name in Name]: () => ReactNode } & {
      preload: (queryClient: QueryClient, params: Params, search: Search) => Promise<unknown>;
    }
  >,
  name: Name,
) {
  return {
    component: lazyRouteComponent(load, name),
    loader: (visit: {
      context: { queryClient: QueryClient };
      params: Params;
      location: { search: Search };
    }): void => {
      load()
        .then(({ preload }) => preload(visit.context.queryClient, visit.params, visit.location.search))
        .catch(() => {});
    },
  };
}
