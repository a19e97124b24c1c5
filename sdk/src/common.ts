export type { Cancellable } from './core/cancellation.ts';
export { createApiClient, type ApiClientOptions } from './core/api-client.ts';
export type { Answer, Api, Body } from './core/api-types.ts';
export {
  GuildhallError,
  type ClientErrorCode,
  type ErrorCode,
  type FieldError,
  type Problem,
} from './core/errors.ts';
export type { ServerErrorCode } from './core/error-codes.ts';
export type { HttpOptions, RequestOptions, Send } from './core/http.ts';
export { parseJson, writeJson } from './core/json.ts';
export type { Session } from './core/session.ts';
export type { SessionEnd } from './core/stored-session.ts';
export type { Changes, ClientStorage, Condition } from './core/storage.ts';
export { memoryStorage } from './storage/memory.ts';
export type { components, operations, paths } from './api.ts';
