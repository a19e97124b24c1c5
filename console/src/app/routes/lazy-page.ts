import type { QueryClient } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { loadCode } from '../load-code';

/** A page whose code is loaded when somebody goes to it. */
export function lazyPage<Name extends string>(
  load: () => Promise<{ [name in Name]: () => ReactNode }>,
  name: Name,
) {
  return { component: lazyRouteComponent(() => loadCode(load, name), name) };
}

/**
 * A page whose requests begin when its link is pointed at, or with the navigation, and not only after the first rendering of the page.
 * Nothing waits for them: the page shows its code and its data when they arrive, or why they could not be loaded.
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
    ...lazyPage(load, name),
    loader: (visit: {
      context: { queryClient: QueryClient };
      params: Params;
      location: { search: Search };
    }): void => {
      loadCode(load, name)
        .then(({ preload }) => preload(visit.context.queryClient, visit.params, visit.location.search))
        .catch(() => {});
    },
  };
}
