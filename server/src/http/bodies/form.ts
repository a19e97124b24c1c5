import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../../core/problem.ts';
import { unsupportedMediaType } from './unsupported-media-type.ts';

/** A parsed form. */
export interface Form {
  files: FormFile[];
  /** The text fields. A field that was sent twice appears twice. */
  fields: { name: string; value: string }[];
}

interface FormFile {
  /** The name of the form field. */
  field: string;
  /** The content. If the file is too large, only its beginning. */
  bytes: Buffer;
  isTooLarge: boolean;
}

/**
 * Reads the form of a request, and checks the caller again afterwards. Throws unsupported_media_type, invalid_request, busy,
 * request_timeout, and the refusals of the credential.
 */
type FormReader = (request: FastifyRequest) => Promise<Form>;

/**
 * Makes a scope accept only forms (multipart/form-data), and returns the reader for its handlers. Handlers read the
 * form after authorization, so files of other callers do not use memory. The body schema is for the documentation only.
 */
export async function acceptForms(app: FastifyInstance, largestFile: number): Promise<FormReader> {
  // Without this, a JSON body would be read before it is rejected.
  app.removeAllContentTypeParsers();
  const compile = app.validatorCompiler!;
  app.setValidatorCompiler((route) => (route.httpPart === 'body' ? () => true : compile(route)));
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fileSize: largestFile, files: 2, fields: 16, fieldSize: 1024, parts: 20 },
  });

  return async (request) => {
    if (!request.isMultipart()) throw unsupportedMediaType(request, ['multipart/form-data']);
    const form = await readParts(request).catch((error: unknown) => {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError(
        'invalid_request',
        'The form is not valid multipart/form-data, or it was cut off. Send it again.',
      );
    });
    await request.admitCaller();
    return form;
  };
}

async function readParts(request: FastifyRequest): Promise<Form> {
  const form: Form = { files: [], fields: [] };
  for await (const part of request.parts()) {
    // A file that is too large is read to its end, because more parts may follow.
    if (part.type === 'file')
      form.files.push({
        field: part.fieldname,
        bytes: await part.toBuffer(),
        isTooLarge: part.file.truncated,
      });
    // The parser already parses a part with the content type JSON.
    else
      form.fields.push({
        name: part.fieldname,
        value: typeof part.value === 'string' ? part.value : JSON.stringify(part.value),
      });
  }
  return form;
}
