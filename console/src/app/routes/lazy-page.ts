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
 * Nothing waits for them: the page shows its code and its data when they arrive, or why they could not be loaded. If only some roles may
 * open the page, `mayOpen` says whether that of the account is one of them. For others no request begins.
 */
export function preloadedPage<Name extends string, Params, Search>(
  load: () => Promise<
    { [name in Name]: () => ReactNode } & {
      preload: (queryClient: QueryClient, params: Params, search: Search) => Promise<unknown>;
    }
  >,
  name: Name,
  mayOpen: (queryClient: QueryClient, params: Params) => Promise<boolean> = async () => true,
) {
  return {
    ...lazyPage(load, name),
    loader: ({ context: { queryClient }, params, location }: Visit<Params, Search>): void => {
      Promise.all([loadCode(load, name), mayOpen(queryClient, params)])
        .then(([{ preload }, may]) => may && preload(queryClient, params, location.search))
        .catch(() => {});
    },
  };
}

interface Visit<Params, Search> {
  context: { queryClient: QueryClient };
  params: Params;
  location: { search: Search };
}
