/**
 * Every error that a caller can be told about: its `code`, its HTTP status and its title. Documented, with what to do
 * about each, in docs/errors.md.
 */
export const problemCatalogue = {
  invalid_request: [400, 'The request is not valid'],
  malformed_json: [400, 'The body is not valid JSON'],
  csv_malformed: [400, 'The file is no well-formed CSV'],
  csv_header: [400, 'The header of the CSV file is not right'],
  csv_too_large: [400, 'The CSV file is too large'],
  batch_size: [400, 'The batch is empty or too large'],
  conflicting_credentials: [400, 'Two credentials were sent where one is expected'],
  profile_deleted: [400, 'The profile is deleted'],
  avatar_too_large: [400, 'The picture is too large'],
  avatar_type: [400, 'The picture is neither PNG nor JPG'],
  avatar_unreadable: [400, 'The picture cannot be read'],
  auth_method_not_found: [400, 'The profile has no such sign-in method'],
  auth_method_taken: [400, 'The sign-in method belongs to another profile'],
  last_auth_method: [400, 'The last sign-in method cannot be removed'],
  credential_refused: [400, 'The credential was not accepted'],
  merge_refused: [400, 'The profiles cannot be merged'],
  webhook_url_refused: [400, 'The address of the webhook cannot be used'],
  missing_game_key: [401, 'A game key is needed'],
  missing_api_key: [401, 'An API key is needed'],
  missing_bearer: [401, 'A bearer token is needed'],
  invalid_game_key: [401, 'The game key is not valid'],
  invalid_api_key: [401, 'The API key is not valid'],
  invalid_bearer: [401, 'The bearer token is not valid'],
  invalid_credentials: [401, 'The credentials are not valid'],
  invalid_refresh_token: [401, 'The refresh token is not valid'],
  api_key_not_allowed: [401, 'API keys are not accepted here'],
  audience_mismatch: [401, 'The token is for another audience'],
  player_inactive: [401, 'The player account is closed'],
  session_ended: [401, 'The session has ended'],
  forbidden: [403, 'You may not do this'],
  signup_closed: [403, 'Sign-up is by invitation only'],
  data_api_not_allowed: [403, 'This API key may not read data'],
  wrong_token_scope: [403, 'The token is of the wrong kind'],
  tenant_mismatch: [403, 'The token is of another tenant'],
  player_banned: [403, 'The player is banned'],
  device_blocked: [403, 'The device is blocked'],
  not_found: [404, 'Not found'],
  invitation_not_found: [404, 'The invitation does not work'],
  player_not_found: [404, 'The player does not exist'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request did not arrive in time'],
  conflict: [409, 'The request conflicts with what exists'],
  email_taken: [409, 'The e-mail address already has an account'],
  already_member: [409, 'The address is a member already'],
  last_owner: [409, 'A workspace needs an owner'],
  slug_taken: [409, 'The slug is taken'],
  player_exists: [409, 'The player already exists'],
  duplicate_definition: [409, 'An event definition with this key and value exists'],
  session_expired: [409, 'The player session has expired'],
  match_ended: [409, 'The match has ended'],
  already_in_match: [409, 'The player is already in the match'],
  webhook_limit: [409, 'There are as many webhooks as there may be'],
  webhook_disabled: [409, 'The webhook is disabled'],
  delivery_running: [409, 'The delivery is just being attempted'],
  players_rejected: [410, 'A player session has expired'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The content type is not supported here'],
  provider_not_available: [422, 'The sign-in provider is not available'],
  events_rejected: [422, 'No event was inserted'],
  rate_limited: [429, 'Too many requests'],
  too_many_attempts: [429, 'Too many attempts'],
  too_many_reads: [429, 'Too many large reads at once'],
  too_many_streams: [429, 'Too many streams are open'],
  quota_exceeded: [429, 'The units of the plan are used up'],
  headers_too_large: [431, 'The address and headers are too large'],
  internal_error: [500, 'Something went wrong on our side'],
  provider_unavailable: [502, 'The sign-in provider does not answer'],
  unavailable: [503, 'The service is not ready'],
  avatar_storage_unavailable: [503, 'The storage of avatars does not answer'],
  query_timeout: [503, 'The query took too long'],
  busy: [503, 'The service is busy'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problemCatalogue;

/** What a problem may say beyond its code: a sentence for the caller, response headers, and further members. */
export interface ProblemDetails {
  detail?: string;
  headers?: Record<string, string>;
  /** Further members of the problem document, such as `errors`. */
  members?: Record<string, unknown>;
}

/** An error that is the caller's to know: thrown anywhere, answered as `application/problem+json` (RFC 9457). */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  /** A `cause` is for the log; the caller does not get to know it. */
  constructor(code: ProblemCode, details: ProblemDetails | string = {}, options?: ErrorOptions) {
    const normalised = typeof details === 'string' ? { detail: details } : details;
    super(normalised.detail ?? problemCatalogue[code][1], options);
    this.code = code;
    this.details = normalised;
  }

  get status(): number {
    return problemCatalogue[this.code][0];
  }

  get title(): string {
    return problemCatalogue[this.code][1];
  }
}

/** The refusal of a field that is well formed, and yet not valid. `path` leads to it in the request. */
export function invalidField(path: string, message: string, detail = `${path} ${message}.`): Problem {
  return new Problem('invalid_request', { detail, members: { errors: [{ path, message }] } });
}
