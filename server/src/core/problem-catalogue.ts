/**
 * All error codes with their HTTP status, title and default detail. A detail says what is wrong, then what to do.
 * docs/errors.md documents the codes.
 */
export const problemCatalogue = {
  invalid_request: [
    400,
    'The request is not valid',
    'The request is not valid. See the API reference at /docs.',
  ],
  malformed_json: [
    400,
    'The body is not valid JSON',
    'The body is not valid JSON. Send one JSON value in UTF-8.',
  ],
  csv_malformed: [400, 'The CSV file is malformed', 'The file is not valid CSV. Save it as CSV in UTF-8.'],
  csv_header: [
    400,
    'The CSV header is not valid',
    'The header of the CSV file is not valid. Use the columns of the export.',
  ],
  csv_too_large: [
    400,
    'The CSV file is too large',
    'The file has more than 2 MiB or 5,000 rows. Import it in parts, each with the header.',
  ],
  batch_size: [
    400,
    'The batch is empty or too large',
    'The batch is empty or too large. Send at least one event, and at most as many as the plan allows.',
  ],
  conflicting_credentials: [
    400,
    'Conflicting credentials',
    'The request has two credentials, but this endpoint accepts only one. Send one of them.',
  ],
  profile_deleted: [
    400,
    'The profile is deleted',
    'The player has deleted this profile. Sign in again to create a new one.',
  ],
  avatar_too_large: [400, 'The image is too large', 'Images may be at most 2 MiB. Send a smaller image.'],
  avatar_type: [
    400,
    'The image is not PNG or JPG',
    'The file is not a PNG or JPG image. Send one of these types.',
  ],
  avatar_unreadable: [
    400,
    'The image cannot be decoded',
    'The image is damaged, or has more than 16.7 megapixels (4096 × 4096) or a side of more than 16,384 pixels. Send another image.',
  ],
  auth_method_not_found: [
    400,
    'Sign-in method not found',
    'The profile has no sign-in method with this id. Read the profile again.',
  ],
  auth_method_taken: [
    400,
    'The sign-in method belongs to another profile',
    'Another profile uses this sign-in method. Merge that profile into this one. If it has only email addresses and wallets, remove the method there, or delete that profile, and link the method again.',
  ],
  last_auth_method: [
    400,
    'The last sign-in method cannot be removed',
    'This is the last sign-in method of the profile. Link another one first, or delete the profile.',
  ],
  credential_refused: [
    400,
    'The credential was not accepted',
    'The provider did not accept the credential. Get a new one from the provider.',
  ],
  merge_refused: [
    400,
    'The profiles cannot be merged',
    'These two profiles cannot be merged. Name a different source profile and one of its own credentials.',
  ],
  webhook_url_refused: [
    400,
    'The webhook URL cannot be used',
    'The webhook URL cannot be used. Send a public http or https URL without credentials.',
  ],
  auth_method_limit: [
    400,
    'Sign-in method limit reached',
    'A profile has at most 50 sign-in methods. Remove one first.',
  ],
  missing_game_key: [
    401,
    'Game key missing',
    'The request has no game key. Send one in the header X-Game-Key.',
  ],
  missing_api_key: [401, 'API key missing', 'The request has no API key. Send one in the header X-API-Key.'],
  missing_bearer: [
    401,
    'Bearer token missing',
    'The request has no bearer token. Send an access token as "Authorization: Bearer <token>".',
  ],
  invalid_game_key: [
    401,
    'The game key is not valid',
    'The game key is unknown, revoked or expired, or its tenant is disabled. Check the key in the console.',
  ],
  invalid_api_key: [
    401,
    'The API key is not valid',
    'The API key is unknown, revoked or expired, or its tenant is disabled. Check the key in the console.',
  ],
  invalid_bearer: [
    401,
    'The bearer token is not valid',
    'The bearer token has expired, or is not valid for this request. Refresh the token or sign in again.',
  ],
  invalid_credentials: [
    401,
    'The credentials are not valid',
    'The credentials are wrong, used or expired. Ask the user to sign in again.',
  ],
  invalid_refresh_token: [
    401,
    'The refresh token is not valid',
    'The refresh token was used before, has expired, or its session has ended. Sign in again.',
  ],
  api_key_not_allowed: [
    401,
    'API keys are not accepted here',
    'This endpoint does not accept an API key. Send the game key alone.',
  ],
  audience_mismatch: [
    401,
    'Audience mismatch',
    'The token is not for this audience, or the request names no audience. Send the audience that the token was issued for.',
  ],
  player_inactive: [
    401,
    'The player account is closed',
    'The player account is closed, or was merged into another one. Ask the player to sign in again.',
  ],
  session_ended: [401, 'The session has ended', 'The session has ended. Sign in again.'],
  forbidden: [
    403,
    'Permission denied',
    'The caller does not have permission for this. Ask an owner of the workspace for the role that it needs.',
  ],
  signup_closed: [
    403,
    'Sign-up is by invitation only',
    'Sign-up is closed on this deployment. Ask an administrator of a workspace for an invitation.',
  ],
  email_not_verified: [
    403,
    'Email address not verified',
    'The email address of the account is not verified. Verify it with the mailed token, then try again.',
  ],
  second_factor_needed: [
    403,
    'Second factor required',
    'The account has a second factor. Sign in with a code first, then accept the invitation with that session.',
  ],
  identity_proof_required: [
    403,
    'Proof of identity required',
    'This player has signed in to games of several workspaces. Send a proof of identity (member proof, or header X-Identity-Proof), or use a token of the player portal. See docs/authentication.md, "Prove who you are".',
  ],
  data_api_not_allowed: [
    403,
    'This API key may not read data',
    'The API key does not have allowDataApi. Enable it for this key, or use another key.',
  ],
  wrong_token_scope: [
    403,
    'The token is of the wrong kind',
    'This endpoint does not accept tokens of this kind. Send the kind of token that its documentation names.',
  ],
  tenant_mismatch: [
    403,
    'The token is of another tenant',
    'The token and the game key belong to different tenants. Send the game key of the tenant that issued the token.',
  ],
  player_banned: [
    403,
    'The player is banned',
    'The player is banned from this tenant. Do not retry; an administrator of the tenant can lift the ban.',
  ],
  device_blocked: [
    403,
    'The device is blocked',
    'The player has blocked this device. The player can unblock it from another device.',
  ],
  not_found: [
    404,
    'Not found',
    'The resource does not exist, or the caller may not see it. Check the path and its ids.',
  ],
  invitation_not_found: [
    404,
    'Invitation not found',
    'The invitation was used, withdrawn or replaced, has expired, or never existed. Ask for a new one.',
  ],
  player_not_found: [
    404,
    'Player not found',
    'The player does not exist. Check the id, or create the player first.',
  ],
  method_not_allowed: [
    405,
    'Method not allowed',
    'This path does not support the method. Use one of the methods in the header Allow.',
  ],
  request_timeout: [
    408,
    'The request did not arrive in time',
    'The request did not arrive completely within two minutes. Send it again.',
  ],
  conflict: [
    409,
    'Conflict with the current state',
    'The request conflicts with the current state. Read the resource again, then decide.',
  ],
  email_taken: [
    409,
    'The email address is taken',
    'The email address already has an account. Sign in to it.',
  ],
  already_member: [
    409,
    'Already a member',
    'The email address belongs to a member of the workspace. Change the role of that member instead.',
  ],
  last_owner: [
    409,
    'A workspace needs an owner',
    'This is the last owner of the workspace. Make another member an owner first.',
  ],
  slug_taken: [409, 'The slug is taken', 'Another workspace or tenant uses this slug. Choose another one.'],
  player_exists: [409, 'The player already exists', 'The player already exists. Sign in instead.'],
  duplicate_definition: [
    409,
    'The event definition already exists',
    'An event definition with this key and value exists in the tenant. Change that one.',
  ],
  definition_limit: [
    409,
    'Event definition limit reached',
    'A tenant has at most 20,000 event definitions. Change existing ones.',
  ],
  workspace_limit: [
    409,
    'Workspace limit reached',
    'An account owns at most 100 workspaces. Make another member the owner of one and leave it first.',
  ],
  member_limit: [
    409,
    'Member limit reached',
    'A workspace has at most 100 members and open invitations. Remove a member or withdraw an invitation first.',
  ],
  tenant_limit: [
    409,
    'Tenant limit reached',
    'A workspace has at most 1,000 tenants that are not disabled, and 10,000 in all. Disable one, or use another workspace.',
  ],
  key_limit: [
    409,
    'Key limit reached',
    'A tenant has at most 1,000 keys of a kind that are neither revoked nor expired, and creates at most 2,000 in 24 hours. Revoke one first, or try again later.',
  ],
  session_expired: [
    409,
    'The player session has expired',
    'The player’s session has ended, or its sign-in was more than 2 hours ago. A refresh does not count. Sign the player in again, then join.',
  ],
  match_ended: [409, 'The match has ended', 'The match has ended. Create another one.'],
  already_in_match: [
    409,
    'The player is already in the match',
    'The player is already in the match. No action is needed.',
  ],
  totp_enabled: [
    409,
    'Second factor already enabled',
    'The second factor is already enabled. Disable it before you enroll again.',
  ],
  match_full: [
    409,
    'The match is full',
    'A match has at most 1,000 players, including players who have left. Create another match.',
  ],
  webhook_limit: [409, 'Webhook limit reached', 'The limit of 50 webhooks is reached. Delete one first.'],
  webhook_disabled: [409, 'The webhook is disabled', 'The webhook is disabled. Enable it first.'],
  delivery_running: [
    409,
    'This delivery is already in progress',
    'An attempt at this delivery is in progress. Read the delivery again in a few seconds.',
  ],
  redelivery_running: [
    409,
    'A redelivery is already running',
    'A webhook has one redelivery at a time. Cancel the running one, or wait until it ends.',
  ],
  players_rejected: [
    410,
    'A player session has expired',
    'At least one player’s session has ended, or its sign-in was more than 2 hours ago. The member errors lists these players. Sign them in again, then create the match.',
  ],
  body_too_large: [
    413,
    'The body is too large',
    'The body is larger than this endpoint accepts. Send less in one request.',
  ],
  unsupported_media_type: [
    415,
    'Unsupported content type',
    'This endpoint does not accept the content type. Send application/json, or multipart/form-data for files.',
  ],
  provider_not_available: [
    422,
    'The sign-in provider is not available',
    'The sign-in provider is disabled or not configured for this tenant. Configure it in the console, or use another one.',
  ],
  idempotency_key_reused: [
    422,
    'The idempotency key was used for another request',
    'Another request in the last 24 hours used this Idempotency-Key. Repeat that request without changes, or use a new key.',
  ],
  events_rejected: [
    422,
    'No event was stored',
    'No event was stored. The member errors names the reason for each event.',
  ],
  rate_limited: [
    429,
    'Too many requests',
    'The caller has reached its rate limit. Retry after the number of seconds in Retry-After.',
  ],
  too_many_attempts: [
    429,
    'Too many attempts',
    'Too many attempts. Retry after the number of seconds in Retry-After.',
  ],
  too_many_streams: [
    429,
    'Too many open streams',
    'The account has 10 notification streams open. Close one, or retry after the number of seconds in Retry-After.',
  ],
  too_many_reads: [
    429,
    'Too many large reads at once',
    'Too many large reads of this tenant run or wait. Send fewer at once, and retry after the number of seconds in Retry-After.',
  ],
  too_many_exports: [
    429,
    'Too many exports at once',
    'Too many exports run at once. Wait until one ends, or retry after the number of seconds in Retry-After.',
  ],
  too_many_imports: [
    429,
    'Too many imports at once',
    'Two imports of this account or tenant run already. Wait until one ends, or retry after the number of seconds in Retry-After.',
  ],
  quota_exceeded: [
    429,
    'The quota of the plan is exceeded',
    'The request needs more units than the plan has left this month. Wait for the next period, or ask for a larger plan.',
  ],
  headers_too_large: [
    431,
    'The headers are too large',
    'The URL and the headers have more than 16 KiB. Send shorter headers or a shorter URL.',
  ],
  internal_error: [500, 'Internal server error', 'The server failed. Report the requestId to the operator.'],
  provider_unavailable: [
    502,
    'The sign-in provider does not answer',
    'The sign-in provider does not answer, or answers with an error. Try again in a moment.',
  ],
  unavailable: [
    503,
    'The service is not ready',
    'The service is not ready. Retry after the number of seconds in Retry-After.',
  ],
  avatar_storage_unavailable: [
    503,
    'The avatar storage does not answer',
    'The avatar storage does not answer. Retry after the number of seconds in Retry-After.',
  ],
  archive_unavailable: [
    503,
    'The archive of events cannot be read',
    'The range has archived events, which this server cannot read. Ask for a range without them, or ask the operator for help.',
  ],
  query_timeout: [
    503,
    'The request took too long',
    'The request took too long in the database and was cancelled. Retry after the number of seconds in Retry-After. For a large read, request a shorter time range or fewer items.',
  ],
  busy: [
    503,
    'The service is busy',
    'The server has too many requests of this kind. Retry after the number of seconds in Retry-After.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, detail: string]>;

export type ProblemCode = keyof typeof problemCatalogue;
