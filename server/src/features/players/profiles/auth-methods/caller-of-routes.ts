import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { clientAddress } from '../../../../http/client-address.ts';
import { originOf, playerOf } from '../../../../http/request-context.ts';
import { invalidField, ProblemError } from '../../../../core/problem.ts';
import { credentialFields, IdentityProof } from './schemas.ts';
import type { CallerWithProof } from './identity-proof.ts';
import type { Credential } from './verify-credential.ts';

/** The headers of operations that can need a proof of identity. */
export const ProofHeaders = Type.Object({
  'x-identity-proof': Type.Optional(
    Type.String({
      maxLength: 16_384,
      description:
        'A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required ' +
        'when games of several workspaces know the profile, except with a portal token.',
    }),
  ),
});

/**
 * The caller of a profile change, with the proof of identity. The field of the body takes precedence over the header. Throws
 * invalid_request.
 */
export function callerWithProof(
  request: FastifyRequest,
  proofOfBody?: Static<typeof IdentityProof>,
): CallerWithProof {
  const proof = proofOfBody ?? proofOfHeader(request);
  return {
    ...playerOf(request),
    ipAddress: clientAddress(request),
    origin: originOf(request),
    proof: proof && credentialOf(proof, 'proof.'),
  };
}

function proofOfHeader(request: FastifyRequest): Static<typeof IdentityProof> | undefined {
  const header = request.headers['x-identity-proof'];
  if (typeof header !== 'string') return undefined;
  let proof: unknown;
  try {
    proof = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
  } catch {
    proof = undefined;
  }
  const validate = request.compileValidationSchema(IdentityProof, 'body') as (data: unknown) => unknown;
  if (validate(proof) !== true)
    throw invalidField(
      'X-Identity-Proof',
      'must be a JSON object in base64url with provider, and with token, message and signature, or email and code',
    );
  return proof as Static<typeof IdentityProof>;
}

/** Checks that a body has all fields of its provider's credential. Throws invalid_request. `path` is a prefix for the errors. */
export function credentialOf(body: Static<typeof IdentityProof>, path = ''): Credential {
  const required = credentialFields[body.provider];
  const missing = required.filter((name) => body[name] === undefined);
  if (missing.length > 0)
    throw new ProblemError('invalid_request', {
      detail: `A credential of ${body.provider} requires ${required.join(' and ')}.`,
      members: { errors: missing.map((name) => ({ path: path + name, message: 'is missing' })) },
    });
  return body as Credential;
}
