import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { GuildhallError } from './app/client';
import { createQueryClient } from './app/query-client';
import { createConsoleRouter } from './app/router';
import { OldVersionError, ServerAwayError } from './app/server-away';
import { leave, leaveAtSessionEnd } from './app/session-end';
import { styleNonce } from './app/style-nonce';
import { cssVariables, theme } from './app/theme';
import { closeTopmostOnEscape } from './components/dialogs';
import './app/global.css';

const queryClient = createQueryClient(() => void leave(router, queryClient));
const router = createConsoleRouter(queryClient);
leaveAtSessionEnd(router, queryClient);
closeTopmostOnEscape();

createRoot(document.getElementById('root')!, {
  // The page that catches a refused request shows it to the reader.
  onCaughtError: (error) => {
    const isShown = [GuildhallError, ServerAwayError, OldVersionError].some(
      (shown) => error instanceof shown,
    );
    if (!isShown) console.error(error);
  },
}).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
