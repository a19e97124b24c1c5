import type { Api } from './api-types.ts';
import { apiKeyHeader, createApi, createSend, gameKeyHeader, type HttpOptions } from './http.ts';

export interface ApiClientOptions extends HttpOptions {
  gameKey?: string | undefined;
  apiKey?: string | undefined;
  /** Any token that is sent as `Authorization: Bearer`, such as the platform JWT of a wallet-linked player. */
  bearer?: string | (() => Promise<string | undefined>) | undefined;
}

/** All operations by method and path with fixed credentials: for wallet recording, and to read data with an API key. */
export function createApiClient({ gameKey, apiKey, bearer, ...http }: ApiClientOptions): Api {
  const keys = {
    ...(gameKey !== undefined && gameKeyHeader(gameKey)),
    ...(apiKey !== undefined && apiKeyHeader(apiKey)),
  };
  return createApi(
    createSend(http, {
      headers: async () => {
        const token = typeof bearer === 'function' ? await bearer() : bearer;
        return token ? { ...keys, authorization: `Bearer ${token}` } : keys;
      },
    }),
  );
}
