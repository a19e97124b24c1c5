import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../core/problem.ts';

/** A form as it was sent. */
export interface Form {
  files: FormFile[];
  /** The texts of the other fields; one that was sent twice is there twice. */
  fields: { name: string; value: string }[];
}

export interface FormFile {
  /** The name of its field. */
  field: string;
  /** Its beginning only, where it is too large. */
  bytes: Buffer;
  isTooLarge: boolean;
}

/** Reads the form of a request. Throws unsupported_media_type, invalid_request, busy, request_timeout. */
export type FormReader = (request: FastifyRequest) => Promise<Form>;

/**
 * Makes a scope one of forms (multipart/form-data), which its handlers read with what this returns: after the caller's
 * rights were checked, so that nobody else's file is kept in memory. The schema of a body is for the documentation alone.
 */
export async function acceptForms(app: FastifyInstance, largestFile: number): Promise<FormReader> {
  // Forms alone: JSON would else be read, and then refused as a form.
  app.removeAllContentTypeParsers();
  const compile = app.validatorCompiler!;
  app.setValidatorCompiler((route) => (route.httpPart === 'body' ? () => true : compile(route)));
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fileSize: largestFile, files: 2, fields: 16, fieldSize: 1024, parts: 20 },
  });

  return async (request) => {
    if (!request.isMultipart())
      throw new ProblemError('unsupported_media_type', 'Send a form (multipart/form-data).');
    try {
      return await readParts(request);
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError(
        'invalid_request',
        'The form is not valid multipart/form-data, or it was cut off. Send it again.',
      );
    }
  };
}

async function readParts(request: FastifyRequest): Promise<Form> {
  const form: Form = { files: [], fields: [] };
  for await (const part of request.parts()) {
    // A file is read to its end also where it is too large, for the form goes on behind it.
    if (part.type === 'file')
      form.files.push({
        field: part.fieldname,
        bytes: await part.toBuffer(),
        isTooLarge: part.file.truncated,
      });
    // A part that says it is JSON comes parsed.
    else
      form.fields.push({
        name: part.fieldname,
        value: typeof part.value === 'string' ? part.value : JSON.stringify(part.value),
      });
  }
  return form;
}
