/** Thrown if no server responds, or if the status is not 2xx. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends a JSON request and returns the JSON of the response. Throws {@link ApiError}. */
export type Send = <Answer>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Creates a function that sends requests to a Guildhall server. */
export function createSend(baseUrl: string): Send {
  return async <Answer>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) => {
    let response: Response;
    try {
      response = await fetch(baseUrl + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(30_000),
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      const { cause = error } = error as Error;
      throw new ApiError(
        0,
        `No server answers at ${baseUrl} (${String(cause)}). Start Guildhall with \`npm start\`, or set --url.`,
      );
    }
    const text = await response.text();
    if (!response.ok)
      throw new ApiError(response.status, `${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  };
}
