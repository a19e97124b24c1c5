import { QueryClient } from '@tanstack/react-query';
import { doesServerAnswer, OldVersionError, RESTART_RETRIES, ServerAwayError } from './server-away';

/** The code of pages waits for the connection, as their data do. If the server does not answer, it is requested again for 30 seconds. */
const code = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: (failures, error) => failures < (error instanceof ServerAwayError ? RESTART_RETRIES : 1),
    },
  },
});
code.mount();

/** Loads a module that is not part of the first page. */
export function loadCode<Module>(load: () => Promise<Module>, name: string): Promise<Module> {
  return code.fetchQuery({
    queryKey: [name],
    queryFn: () =>
      load().catch(async (error: unknown) => {
        if (!(await doesServerAnswer())) throw new ServerAwayError();
        // By the message of the error, `lazyRouteComponent` reloads the page once, which gets the code of a new build. A reload without a
        // server would lose the page.
        throw isMissing(error) ? new OldVersionError(error.message, { cause: error }) : error;
      }),
  });
}

/** Whether a module or its styles could not be loaded, in the words of Chromium, Firefox, WebKit and Vite. Other errors are those of its code. */
const isMissing = (error: unknown): error is Error =>
  error instanceof Error &&
  /dynamically imported module|module script failed|Unable to preload CSS/.test(error.message);
