/** What the common messages of Node.js and undici mean. The first one that matches applies. */
const MEANINGS: [message: RegExp, meaning: string][] = [
  [/ENOTFOUND|ENODATA/, 'The host name was not found'],
  [/getaddrinfo|query\w+ E/, 'The name servers could not look up the host name'],
  [/ECONNREFUSED/, 'The connection was refused'],
  [/ECONNRESET|EPIPE|other side closed/, 'The connection was closed before the response was complete'],
  [/EHOSTUNREACH|ENETUNREACH/, 'There is no route to the host'],
  [/ETIMEDOUT|aborted due to timeout|Connect Timeout Error/, 'There was no complete response in time'],
  [/certificate has expired/, 'The TLS certificate has expired'],
  [/certificate's altnames/, 'The TLS certificate is for another host name'],
  [/self-signed certificate/, 'The TLS certificate is self-signed'],
  [
    /unable to (verify|get)/,
    'The TLS certificate comes from an unknown authority, or intermediate certificates are missing',
  ],
  [/wrong version number/, 'The port does not use TLS'],
];

/** Says why another server could not be used, for people. The error code of the system follows in brackets. */
export function describeFailure(error: Error): string {
  // If no address of a name can be reached, the error has no message of its own.
  const message =
    error instanceof AggregateError
      ? error.errors.map(({ message }: Error) => message).join(', ')
      : error.message;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(message))?.[1];
  if (meaning === undefined) return message;
  const code = /\bE[A-Z]{4,}\b/.exec(message)?.[0];
  return code ? `${meaning} (${code})` : meaning;
}
