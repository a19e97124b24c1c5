import { problemCatalogue } from '../../core/problem-catalogue.ts';
import { ProblemError, type ProblemCode } from '../../core/problem.ts';
import type { Schema } from './openapi-schemas.ts';
import { problemDocument } from '../problem-document.ts';

/**
 * The examples of the OpenAPI document. They tell one story: Ada plays chess in a demo game. A member has the same value in all
 * bodies, unless `Title.member` names one schema.
 */
const id = (number: number): string => `0199e0c5-7b1e-7000-8000-${String(number).padStart(12, '0')}`;
const hash = (digits: string): string => `0x${digits.repeat(64 / digits.length)}`;

const PLAYER = id(1);
/** The tenant of all examples. */
export const EXAMPLE_TENANT_ID = id(2);
const TENANT = EXAMPLE_TENANT_ID;
const WORKSPACE = id(3);
const ACCOUNT = id(4);
const SESSION = id(5);
const DEVICE = id(6);
const MATCH = id(7);
const MATCH_PLAYER = id(8);
const KEY = id(9);
const WEBHOOK = id(10);
const DEFINITION = id(11);
const NOON = '2026-11-01T12:00:00.000Z';
const FIVE_PAST = '2026-11-01T12:05:00.000Z';
const TEN_PAST = '2026-11-01T12:10:00.000Z';
const NEXT_MONTH = '2026-12-01T00:00:00.000Z';
const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwMTk5ZTBjNSJ9.c2lnbmF0dXJl';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const SALT = `0x${'5b'.repeat(16)}`;
const ADDED_PLAYER = { address: ADDRESS, playerId: 'ada', playerType: 0, verified: false };
const PASSWORD = 'correct horse battery staple';
const SIGN_IN_MESSAGE =
  'chess.example wants you to sign in with your Ethereum account:\n' +
  `${ADDRESS}\n\nSign in to the game.\n\nURI: https://chess.example\nVersion: 1\nChain ID: 1\n` +
  'Nonce: 4f1c0a9be2d34d6f\nIssued At: 2026-11-01T12:00:00.000Z';

/** Strings. The values of other enums are their first ones. */
const TEXTS: Record<string, string> = {
  accessToken: JWT,
  accountId: ACCOUNT,
  action: 'tenant.updated',
  address: ADDRESS,
  agreedBy: ACCOUNT,
  answer: 'ok',
  assertionToken: JWT,
  audience: 'https://tournament.example',
  authMethodId: id(12),
  authProvider: 'Mock',
  authUrl: 'https://store-a.example/openid/login?openid.mode=checkid_setup',
  avatarFile: 'avatar.png',
  avatarUrl: 'https://api.example.com/avatars/5f0c2d7e9b1a4c3d8e6f7a8b9c0d1e2f.png',
  bannedBy: ACCOUNT,
  bannedByEmail: 'ada@example.com',
  'WebhookDeliveryDetail.body': '{"type":"alert.rate_spike","data":{"observed":1250}}',
  callbackUrl: 'https://portal.example.com/sign-in/store-a?openid.mode=id_res',
  canonical: JSON.stringify(['guildhall-wallet-1', TENANT, 1, NOON, 'player.added', 1, SALT, ADDED_PLAYER]),
  challengeId: id(13),
  clientBuild: '20261101.1',
  clientVersion: '1.4.2',
  code: '123456',
  'RejectedEventBatch.code': 'events_rejected',
  contentHash: hash('3c'),
  currentPassword: PASSWORD,
  day: '2026-11-01',
  definitionId: DEFINITION,
  deliveryId: id(14),
  redeliveryId: id(28),
  description: 'Alerts to the chat of the team',
  'RejectedEventBatch.detail': 'No event was stored. The member errors gives the reason for each event.',
  device: 'PC',
  deviceFingerprint: '9f86d081884c7d659a2feaa0c55ad015',
  deviceId: DEVICE,
  deviceName: 'My laptop',
  displayName: 'Ada',
  email: 'ada@example.com',
  'InviteMemberRequest.email': 'grace@example.com',
  'EventError.error': 'The event definition does not exist.',
  'RejectedEventGroup.error': 'The event definition is inactive. Activate it, or use another definition.',
  eventCategory: 'chess',
  eventDefinitionId: DEFINITION,
  eventDescription: 'A piece was moved.',
  eventKey: 'move',
  eventRecordId: id(15),
  eventValue: 'knight',
  file: 'event_key,event_value,event_scope\nmove,knight,match\n',
  from: '2026-11-01',
  gameId: TENANT,
  gameName: 'Chess',
  gameSlug: 'chess',
  hardwareModel: 'ThinkPad X1',
  hash: hash('7d'),
  id: id(16),
  'Alert.id': id(17),
  'KeyAlert.id': id(17),
  'ApiKey.id': KEY,
  'AuditActor.id': ACCOUNT,
  'CreateApiKeyResult.id': KEY,
  'CreateGameKeyResult.id': KEY,
  'CreatedApiKey.id': id(18),
  'CreatedGameKey.id': id(18),
  'Device.id': DEVICE,
  'EventDefinition.id': DEFINITION,
  'FullPlayerProfile.id': PLAYER,
  'GameKey.id': KEY,
  'PlayerProfile.id': PLAYER,
  'PlayerProfileWithAccess.id': PLAYER,
  'PublicPlayerProfile.id': PLAYER,
  'Tenant.id': TENANT,
  'TenantPlayerDevice.id': DEVICE,
  'User.id': ACCOUNT,
  'Webhook.id': WEBHOOK,
  'WebhookWithSecret.id': WEBHOOK,
  'Workspace.id': WORKSPACE,
  idempotencyKey: 'match-7-move-1',
  instance: '/api/game/events',
  invitationId: id(19),
  'Invitation.invitedBy': 'ada@example.com',
  ipAddress: '203.0.113.7',
  lastIpAddress: '203.0.113.7',
  jwt: JWT,
  key: 'opening',
  'CreateApiKeyResult.key': 'gh_api_example',
  'CreateGameKeyResult.key': 'gh_game_example',
  'CreatedApiKey.key': 'gh_api_example',
  'CreatedGameKey.key': 'gh_game_example',
  keyId: KEY,
  'WalletLedgerEntry.kind': 'player.added',
  'ListedWalletEntry.kind': 'player.added',
  kid: id(26),
  'ComponentHealth.detail': 'PostgreSQL 18.1, 42 MiB.',
  lastIdempotencyKey: 'match-7-move-1',
  lastKeyId: KEY,
  level: 'forest-1',
  loginSessionId: SESSION,
  matchPlayerId: MATCH_PLAYER,
  matchSessionId: MATCH,
  mergedPlayerId: id(25),
  message: 'The server is being updated.',
  'LoginChallenge.message': SIGN_IN_MESSAGE,
  'WalletChallenge.message': SIGN_IN_MESSAGE,
  'WalletLoginRequest.message': SIGN_IN_MESSAGE,
  mfaToken: 'gh_mfa_example',
  mode: 'ranked',
  name: 'Chess',
  'ApiKey.name': 'Production',
  'CreateApiKeyRequest.name': 'Production',
  'CreateApiKeyResult.name': 'Production',
  'CreatedApiKey.name': 'Production',
  'CreateGameKeyRequest.name': 'Production',
  'CreateGameKeyResult.name': 'Production',
  'CreatedGameKey.name': 'Production',
  'GameKey.name': 'Production',
  'PaidKey.name': 'Partner',
  'Plan.name': 'Studio',
  'UpdateApiKeyRequest.name': 'Production 2',
  'UpdateGameKeyRequest.name': 'Production 2',
  'UpdatePlanRequest.name': 'Studio',
  'CreateWorkspaceRequest.name': 'Example Studio',
  'UpdateWorkspaceRequest.name': 'Example Studio',
  'AnyWorkspace.name': 'Example Studio',
  'AnyWorkspaceDetail.name': 'Example Studio',
  'JobQueue.name': 'send-mail',
  'Workspace.name': 'Example Studio',
  newPassword: 'a better password',
  nextCursor: id(21),
  nonce: '4f1c0a9be2d34d6f',
  notFound: id(22),
  note: 'Second warning, see ticket 42.',
  noteId: id(27),
  notificationId: id(23),
  osVersion: 'Windows 11',
  overwriteExisting: 'false',
  otpauthUri: 'otpauth://totp/Guildhall:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Guildhall',
  outcome: 'win',
  password: PASSWORD,
  plan: 'Studio',
  platformDisplayName: 'PC Windows',
  platformRole: 'User',
  playerAddress: ADDRESS,
  playerId: PLAYER,
  'CreateWalletPlayerRequest.playerId': 'ada',
  'ListedWalletEntry.playerId': 'ada',
  'WalletLoginResult.playerId': 'ada',
  'WalletPasswordLoginRequest.playerId': 'ada',
  'WalletPlayer.playerId': 'ada',
  playerIds: PLAYER,
  prefix: 'gh_game_4f1c0a',
  previousHash: hash('00'),
  providerUserId: 'ada',
  reason: 'Cheating',
  recoveryCodes: 'k7qpx-2mnw9',
  receiptId: id(40),
  refreshToken: 'gh_refresh_example',
  'AcceptedInvitation.refreshToken': 'gh_session_example',
  'AssertionResult.refreshToken': 'gh_thirdparty_example',
  'AccountSessionRequest.refreshToken': 'gh_session_example',
  'AccountTokens.refreshToken': 'gh_session_example',
  'PortalSessionRequest.refreshToken': 'gh_portal_example',
  'PortalTokens.refreshToken': 'gh_portal_example',
  requestId: id(24),
  requestedId: PLAYER,
  response: `0x${'1f'.repeat(65)}`,
  rowHash: 'a3'.repeat(32),
  salt: SALT,
  'listMatchingPlayers.search': 'ada@example.com',
  secret: 'JBSWY3DPEHPK3PXP',
  'WebhookWithSecret.secret': 'whsec_ZXhhbXBsZSBzZWNyZXQ=',
  sessionId: SESSION,
  signInPassword: PASSWORD,
  signature: `0x${'1f'.repeat(65)}`,
  slug: 'chess',
  'AnyWorkspace.slug': 'example-studio',
  'AnyWorkspaceDetail.slug': 'example-studio',
  'Workspace.slug': 'example-studio',
  sourceAuthToken: 'mock:ada:secret',
  sourceProfileId: id(25),
  subject: ADDRESS,
  'OutboxMail.subject': 'Verify your address',
  targetId: TENANT,
  tenantId: TENANT,
  tenantName: 'Chess',
  tenantRole: 'player',
  'UpdateTenantPlayerRequest.tenantRole': 'moderator',
  text: 'The game key “Production” of the game “Chess” sent 1,250 requests in one minute. Threshold: 1,000. An alert refuses no requests.',
  'PlayerNote.text': 'Reported twice in chat.',
  'CreatePlayerNoteRequest.text': 'Reported twice in chat.',
  'OutboxMail.text': 'Your code is 123456.',
  title: 'Rate spike: the game key “Production” of the game “Chess”',
  'RejectedEventBatch.title': problemCatalogue.events_rejected[1],
  to: '2026-12-01',
  'OutboxMail.to': 'ada@example.com',
  token: 'gh_verify_example',
  'AcceptInvitationRequest.token': 'gh_invite_example',
  'AccountLinkRequest.token': 'gh_link_example',
  'CreatePlayerRequest.token': 'mock:grace:secret',
  'InvitationTokenRequest.token': 'gh_invite_example',
  'LinkAuthMethodRequest.token': 'mock:ada-2:secret',
  'LoginRequest.token': 'mock:ada:secret',
  'ResetAccountPasswordRequest.token': 'gh_reset_example',
  'ResetPlayerPasswordRequest.token': 'gh_reset_example',
  transactionHash: hash('9e'),
  type: 'alert.rate_spike',
  'RejectedEventBatch.type': 'urn:guildhall:problem:events_rejected',
  url: 'https://hooks.example.com/guildhall',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  userId: ACCOUNT,
  username: 'ada',
  value: 'e4',
  verifiedAddresses: ADDRESS,
  version: '0.1.0',
  'webhook-id': id(14),
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'webhook-timestamp': '1793534402',
  webhookId: WEBHOOK,
  workspaceId: WORKSPACE,
  workspaceName: 'Example Studio',
  workspaceSlug: 'example-studio',
  // Enums.
  ChallengeProvider: 'EvmWallet',
  AuditActorKind: 'account',
  AuthProvider: 'Mock',
  EventQueryBucket: 'day',
  ExistingPlayerProvider: 'Mock',
  LinkableProvider: 'Mock',
  MemberStatus: 'active',
  Platform: 'PC_Windows',
  ProfileVisibility: 'limited',
  TokenProvider: 'Mock',
  WebhookDeliveryStatus: 'delivered',
  'StartWebhookRedeliveryRequest.status': 'failed',
  WebhookRedeliveryStatus: 'completed',
  WorkspaceRole: 'admin',
  // Times.
  bucketStart: NOON,
  'EventQueryRow.bucketStart': '2026-11-01T00:00:00.000Z',
  'AccountSession.lastUsedAt': TEN_PAST,
  deletedAt: TEN_PAST,
  mergedAt: TEN_PAST,
  endedAt: TEN_PAST,
  expiresAt: TEN_PAST,
  'ValidatedAssertion.expiresAt': FIVE_PAST,
  lastAttemptAt: TEN_PAST,
  periodEnd: NEXT_MONTH,
  'EventQuery.from': '2026-11-01T00:00:00.000Z',
  'EventQuery.to': NEXT_MONTH,
  'EventQueryAnswer.from': '2026-11-01T00:00:00.000Z',
  'EventQueryAnswer.to': NEXT_MONTH,
  'EventQueryFilter.eventKeys': 'move',
  'EventSummary.from': '2026-11-01T00:00:00.000Z',
  'EventSummary.to': NEXT_MONTH,
  'SessionAnalytics.from': '2026-11-01T00:00:00.000Z',
  'SessionTimeline.from': '2026-11-01T00:00:00.000Z',
  'SessionAnalytics.to': NEXT_MONTH,
  'SessionTimeline.to': NEXT_MONTH,
  'StartWebhookRedeliveryRequest.from': NOON,
  'StartWebhookRedeliveryRequest.to': NEXT_MONTH,
  periodStart: '2026-11-01T00:00:00.000Z',
};

const NUMBERS: Record<string, number> = {
  activateInSeconds: 600,
  attempts: 1,
  bans: 1,
  bytesIn: 48_200,
  bytesOut: 12_600,
  chainId: 1,
  count: 40,
  created: 1,
  delivered: 118,
  devices: 1,
  duplicateCount: 0,
  durationMs: 84,
  erasedSessions: 2,
  destroyedKeys: 2,
  endedSessions: 1,
  latencyMs: 0.8,
  running: 2,
  delayed: 2,
  waiting: 2,
  'EventQueryRow.events': 40,
  'EventQueryRow.players': 12,
  expiresIn: 7200,
  'AccountTokens.expiresIn': 900,
  'AcceptedInvitation.expiresIn': 900,
  'AssertionResult.expiresIn': 300,
  failed: 0,
  'WebhookRedelivery.failed': 2,
  gracePeriodSeconds: 86_400,
  id: 1,
  index: 0,
  'WalletChainHead.index': 1,
  'WalletChainLink.index': 1,
  'WalletLedgerEntry.index': 1,
  'ListedWalletEntry.index': 1,
  lastStatusCode: 200,
  limit: 50,
  'UsageWarning.limit': 1_000_000,
  'WorkspaceQuota.limit': 1_000_000,
  loginCount: 12,
  logins: 12,
  markedCount: 3,
  matchPosition: 1,
  matchSessionId: 1,
  maxMatchEventRecordsPerRequest: 1000,
  maxPlayerEventRecordsPerRequest: 1000,
  monthlyUnits: 1_000_000,
  newScore: 1200,
  number: 1,
  observed: 1250,
  offset: 0,
  openSessions: 1,
  otherPlayers: 2,
  overlapSeconds: 86_400,
  pageSize: 50,
  removedAuthMethods: 1,
  payloadBytesPerMinute: 10_000_000,
  percent: 90,
  perHour: 30_000,
  perMinute: 1000,
  playerCount: 2,
  placement: 1,
  playDataId: 1,
  playerIndex: 1,
  playerType: 1,
  processedCount: 2,
  rateLimitPerMinute: 1000,
  'UpdateAlertSettingsRequest.rateLimitPerMinute': 1000,
  'UpdateAlertSettingsRequest.payloadBytesPerMinute': 10_000_000,
  requestedCount: 2,
  resendAfterSeconds: 30,
  returnedCount: 1,
  score: 1200,
  sessionId: 1,
  sessions: 12,
  skipped: 0,
  startTime: 1_793_534_400,
  'RejectedEventBatch.status': 422,
  statusCode: 200,
  'EventError.statusCode': 404,
  'RejectedEventGroup.statusCode': 409,
  threshold: 1000,
  total: 120,
  totalCount: 1,
  totalGamesPlayed: 1,
  totalLogins: 40,
  totalLogouts: 38,
  totalRows: 1,
  uniquePlatforms: 1,
  uniquePlayers: 12,
  units: 4820,
  unreadCount: 1,
  updated: 0,
  used: 48_200,
  'UsageWarning.used': 900_000,
  value: 42,
  valueAverage: 42,
  valueMaximum: 83,
  valueMinimum: 1,
  valueSum: 1680,
  winLoss: 1,
};

/** The flags whose example is true. The others are false. */
const TRUE_FLAGS = new Set(
  (
    'allowDataApi autoCreate autoCreateDefinitions createAccountIfMissing emailVerified enabled isActive isConfigured ' +
    'isCurrent isNewPlayer isPrimary isTrusted'
  ).split(' '),
);

/** Objects with any members. */
const OBJECTS: Record<string, object> = {
  'WalletLedgerEntry.body': ADDED_PLAYER,
  'ListedWalletEntry.body': ADDED_PLAYER,
  data: { keyId: KEY, observed: 1250, threshold: 1000 },
  details: { before: { name: 'Chess' }, after: { name: 'Chess 2' } },
  identifiers: { EvmWallet: ADDRESS },
  JsonWebKey: {
    kid: id(26),
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    alg: 'ES256',
    use: 'sig',
  },
  loginsByPlatform: { PC_Windows: 40 },
  loginsByProvider: { mock: 40 },
  metadata: { rated: true },
  ProviderSettings: {},
  UpdateProviderSettings: {},
};

/** Members that are null or an empty list, because that is usual or because they exclude another member. */
const EMPTY = new Set(
  (
    'disabledAt disabledReason error failedAt failingSince failure leftAt liftedAt liftedBy liftedByEmail mergedIntoId mergedProfileIds ' +
    'nextAttemptAt revokedAt successorId lastError subscriberWorkspaceId warnings EventBatchResult.errors ImportResult.errors ' +
    'RejectedEventBatch.records Match.endedAt MatchSession.endedAt TenantPlayerSession.endedAt endReason TenantPlayer.ban ' +
    'TenantPlayerDetail.ban RequestedTenantPlayer.ban Member.invitationId Member.invitedBy Member.expiresAt GameKey.expiresAt ApiKey.expiresAt ' +
    'CreatedGameKey.expiresAt CreatedApiKey.expiresAt CreateGameKeyResult.expiresAt CreateApiKeyResult.expiresAt ' +
    'previousSecretUntil Webhook.tenantId WebhookWithSecret.tenantId rateLimit readAt since oldestWaitingAt SigningKey.retiresAt nextCursorTimestamp nextCursorId ' +
    'payloadBytesPerMinute rateLimitPerMinute CreatedGameKey.lastUsedAt CreatedApiKey.lastUsedAt CreateGameKeyResult.lastUsedAt ' +
    'CreateApiKeyResult.lastUsedAt'
  ).split(' '),
);

/** Optional members that examples leave out. */
const OMITTED = new Set(
  (
    'AuditRecordPage.nextCursor AnyWorkspacePage.nextCursor WalletEntryPage.nextCursor StoredEventPage.nextCursor ListedMatchPage.nextCursor BanPlayerRequest.until UpdateTenantRequest.isActive eventDefinitionId ' +
    'CreateGameKeyRequest.expiresAt CreateApiKeyRequest.expiresAt UpdateGameKeyRequest.expiresAt UpdateApiKeyRequest.expiresAt ' +
    'LinkAuthMethodRequest.message LinkAuthMethodRequest.signature LinkAuthMethodRequest.email LinkAuthMethodRequest.code proof sourceProof ' +
    'SecondFactorRequest.recoveryCode ReauthenticationRequest.code rateLimit CreateWebhookRequest.tenantId LogoutRequest.deviceId ' +
    'UpdateProfileRequest.avatarUrl chain ClientInfo.metadata DeviceInfo.metadata UpdateDeviceRequest.isBlocked RecordedEvent.playerId UsageItem.tenantId UsageItem.tenantName UsageItem.keyId UsageItem.keyName UsageItem.keyKind ' +
    'EventQueryFilter.eventValues EventQueryFilter.eventCategories EventQueryFilter.playerIds EventQueryFilter.matchSessionId EventQueryFilter.minimumValue EventQueryFilter.maximumValue EventQueryRow.playerId EventQueryRow.matchSessionId EventQueryRow.eventValue EventQueryRow.eventCategory ' +
    'UpdateWebhookRequest.enabled StartWebhookRedeliveryRequest.deliveryIds StartWebhookRedeliveryRequest.eventType loginSessionId UpdatePlanRequest.hardStop slug'
  ).split(' '),
);

const EXPORTED_EVENT = {
  eventRecordId: id(15),
  eventDefinitionId: DEFINITION,
  eventKey: 'move',
  eventValue: 'knight',
  matchSessionId: MATCH,
  matchPlayerId: MATCH_PLAYER,
  playerId: PLAYER,
  loginSessionId: SESSION,
  idempotencyKey: 'match-7-move-1',
  value: 42,
  occurredAt: NOON,
  receivedAt: NOON,
  rowHash: 'a3'.repeat(32),
};

/** The bodies that are not JSON, by operation and media type. */
export const textExamples: Record<string, Record<string, string>> = {
  exportEventDefinitions: {
    'text/csv':
      'id,event_key,event_value,event_scope,event_category,event_description,is_active\n' +
      `${DEFINITION},move,knight,match,chess,A piece was moved.,true\n`,
  },
  exportEvents: {
    'application/x-ndjson': `${JSON.stringify(EXPORTED_EVENT)}\n`,
    'text/csv': `${Object.keys(EXPORTED_EVENT).join()}\n${Object.values(EXPORTED_EVENT).join()}\n`,
  },
  getMetrics: {
    'text/plain': 'guildhall_http_request_duration_seconds_count{operation="logInPlayer",status="200"} 40\n',
  },
  streamNotifications: {
    'text/event-stream': `id: ${id(23)}\nevent: notification\ndata: {"id":"${id(23)}","type":"alert.rate_spike",…}\n\n`,
  },
};

/** The place of a value: the title of the object, and the name of its member. */
interface Place {
  owner?: string | undefined;
  member?: string | undefined;
}

/** Composes the example of a schema from those of its members. Throws if a member has none. */
export function exampleOf(
  schema: Schema,
  schemas: Record<string, Schema>,
  { owner, member }: Place = {},
): unknown {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
  const find = <Value>(examples: Record<string, Value>): Value | undefined =>
    examples[`${owner}.${member}`] ?? examples[name ?? ''] ?? examples[member ?? ''];
  if (isListed(EMPTY, owner, member) && NUMBERS[`${owner}.${member}`] === undefined) {
    if (schema.items) return [];
    if (schema.type?.includes('null') || schema.oneOf?.some(({ type }) => type === 'null')) return null;
  }
  if (name) {
    const target = schemas[name]!;
    if (target.enum) return TEXTS[`${owner}.${member}`] ?? TEXTS[name] ?? target.enum[0];
    return OBJECTS[name] ?? exampleOf(target, schemas, { owner: name });
  }
  const choice = (schema.oneOf ?? schema.anyOf)?.find(({ type }) => type !== 'null');
  if (choice) return exampleOf(choice, schemas, { owner, member });
  const types = [schema.type].flat();
  if (schema.properties && types[0] !== 'array') return exampleOfMembers(schema, schemas, owner);
  if (schema.items) return [exampleOf(schema.items, schemas, { owner, member })];
  if (types.includes('object')) return needed(find(OBJECTS), owner, member);
  if (schema.enum) return schema.enum.find((value) => value === find(TEXTS)) ?? schema.enum[0];
  if (types.includes('boolean')) return TRUE_FLAGS.has(member ?? '');
  if (types.includes('integer') || types.includes('number')) return needed(find(NUMBERS), owner, member);
  if (schema.format === 'date-time') return find(TEXTS) ?? NOON;
  return needed(find(TEXTS), owner, member);
}

function exampleOfMembers(
  schema: Schema,
  schemas: Record<string, Schema>,
  owner: string | undefined,
): Record<string, unknown> {
  const example: Record<string, unknown> = {};
  for (const [member, part] of Object.entries(schema.properties!)) {
    const isRequired = schema.required?.includes(member);
    if (!isRequired && isListed(OMITTED, owner, member)) continue;
    const value = exampleOf(part, schemas, { owner, member });
    if (isRequired || value !== null) example[member] = value;
  }
  return example;
}

function isListed(names: Set<string>, owner: string | undefined, member: string | undefined): boolean {
  return member !== undefined && (names.has(member) || names.has(`${owner}.${member}`));
}

function needed<Value>(
  example: Value | undefined,
  owner: string | undefined,
  member: string | undefined,
): Value {
  if (example !== undefined) return example;
  throw new Error(`${owner}.${member} has no example. Add one to http/openapi/openapi-examples.ts.`);
}

/** The example of a shared error response. */
export function problemExample(code: ProblemCode): object {
  return problemDocument(new ProblemError(code), { instance: '/api/game/matches', requestId: id(24) });
}
