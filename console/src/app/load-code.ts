import { QueryClient } from '@tanstack/react-query';

/** The code of a page could not be loaded, because the server does not answer. */
export class ServerAwayError extends TypeError {}

/** The code of pages waits for the connection, as their data do. If the server does not answer, it is requested again for 30 seconds. */
const code = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: (failures, error) => failures < (error instanceof ServerAwayError ? 5 : 1),
    },
  },
});
code.mount();

/** Whether the server that the console came from answers. */
export async function doesServerAnswer(): Promise<boolean> {
  const answer = await fetch('/', { method: 'HEAD' }).catch(() => undefined);
  return answer?.ok ?? false;
}

/** Loads a module that is not part of the first page. */
export function loadCode<Module>(load: () => Promise<Module>, name: string): Promise<Module> {
  return code.fetchQuery({
    queryKey: [name],
    queryFn: () =>
      load().catch(async (error: unknown) => {
        // `lazyRouteComponent` reloads the page, which gets the code of a new build. A reload without a server would lose the page.
        throw (await doesServerAnswer()) ? error : new ServerAwayError();
      }),
  });
}
