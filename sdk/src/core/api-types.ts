import type { paths } from '../api.ts';

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The paths that support a method. */
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Name in M]: infer Operation }
    ? [Operation] extends [never]
      ? never
      : Operation extends undefined
        ? never
        : Path
    : never;
}[keyof paths];

type OperationAt<Path extends keyof paths, M extends Method> = NonNullable<
  paths[Path][M & keyof paths[Path]]
>;

type MembersNeeded<Type> = {
  [Name in keyof Type]-?: object extends Pick<Type, Name> ? never : Name;
}[keyof Type];

/** A member that may be left out if nothing in it is needed. */
type OptionalIfEmpty<Name extends string, Type> = [MembersNeeded<Type>] extends [never]
  ? { [Key in Name]?: Type | undefined }
  : { [Key in Name]: Type };

type Without<Type, Never> = {
  [Name in keyof Type as [Type[Name]] extends [Never] ? never : Name]: Type[Name];
};

/** Parameters that may be left out may also be undefined, even with `exactOptionalPropertyTypes`. */
type WithUndefined<Type> = {
  [Name in keyof Type]: object extends Pick<Type, Name> ? Type[Name] | undefined : Type[Name];
};

type PartOf<Operation, Name extends 'path' | 'query' | 'header'> = Operation extends {
  parameters: { [Key in Name]?: infer Part };
}
  ? [Part] extends [never]
    ? unknown
    : [undefined] extends [Part]
      ? { [Key in Name]?: WithUndefined<NonNullable<Part>> | undefined }
      : OptionalIfEmpty<Name, WithUndefined<Part>>
  : unknown;

type ParametersOf<Operation> = PartOf<Operation, 'path'> &
  PartOf<Operation, 'query'> &
  PartOf<Operation, 'header'>;

type ContentOf<Body> = Body extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : Content extends { 'multipart/form-data': unknown }
      ? FormData
      : Content extends { 'text/csv': unknown }
        ? string | Blob
        : unknown
  : never;

/** A body that may be null may be left out. */
type BodyMember<Content> = [null] extends [Content]
  ? { body?: Exclude<Content, null> | undefined }
  : { body: Content };

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? BodyMember<ContentOf<Body>>
  : Operation extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? { body?: undefined }
      : { body?: Exclude<ContentOf<NonNullable<Body>>, null> | undefined }
    : { body?: undefined };

export interface CommonOptions {
  signal?: AbortSignal | undefined;
  /** Headers beside those that the client sends itself. */
  headers?: Record<string, string> | undefined;
}

type OptionsOf<Operation> = CommonOptions &
  OptionalIfEmpty<'params', Without<ParametersOf<Operation>, never>> &
  BodyOf<Operation>;

type SuccessOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses]
  : never;

/** The data of a successful answer, or undefined if it has no body. */
type AnswerOf<Operation> = DataOf<SuccessOf<Operation>>;

type DataOf<Response> = Response extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : string
  : undefined;

interface ReadBy {
  response: Response;
  blob: Blob;
  text: string;
}

/** `response` returns the `Response` of an accepted request, for example to read a stream. */
interface ReadOption<ReadAs> {
  readAs?: ReadAs | undefined;
}

/**
 * An unknown path counts as any path. Its options may be left out, so that the compiler reports the path and not the number of
 * arguments.
 */
type MayOmitOptions<Path, Options, M extends Method> = [PathWith<M>] extends [Path]
  ? true
  : object extends Options
    ? true
    : false;

/** Overloads would make each error of the compiler longer. */
type Call<M extends Method> = <Path extends PathWith<M>, ReadAs extends keyof ReadBy | undefined = undefined>(
  path: Path,
  ...options: MayOmitOptions<Path, OptionsOf<OperationAt<Path, M>>, M> extends true
    ? [options?: OptionsOf<OperationAt<Path, M>> & ReadOption<ReadAs>]
    : [options: OptionsOf<OperationAt<Path, M>> & ReadOption<ReadAs>]
) => Promise<ReadAs extends keyof ReadBy ? ReadBy[ReadAs] : AnswerOf<OperationAt<Path, M>>>;

/**
 * All operations of the API by method and path: `api.GET('/api/workspaces/{workspaceId}', { params: { path: { workspaceId } } })`.
 * A call returns the data of the answer, or throws a `GuildhallError`.
 */
export interface Api {
  GET: Call<'get'>;
  PUT: Call<'put'>;
  POST: Call<'post'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** The data that an operation answers with, by its path: `Answer<'/api/saas-auth/me', 'get'>`. */
export type Answer<Path extends keyof paths, M extends Method> = AnswerOf<OperationAt<Path, M>>;

/** The body that an operation takes, by its path. */
export type Body<Path extends keyof paths, M extends Method> = NonNullable<
  BodyOf<OperationAt<Path, M>>['body']
>;
