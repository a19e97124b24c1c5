import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { originOf, playerOf } from '../../../http/request-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { ChangeAuthor } from './announce-change.ts';
import type { Applicant } from './identity-proof.ts';
import { credentialMembers, IdentityProof } from './schemas.ts';
import type { Credential } from './verify-credential.ts';

/** The header of routes that take a proof of identity. */
export const ProofHeaders = Type.Object({
  'x-identity-proof': Type.Optional(
    Type.String({
      maxLength: 16_384,
      description:
        'A proof of identity: the same object as the member `proof` of a body, as JSON in base64url. Needed as soon as games ' +
        'of several workspaces know the profile, unless the token is of the player portal.',
    }),
  ),
});

/** Who asks for a change of their profile, with the proof of identity of the body, or else of the header. Throws invalid_request. */
export function applicantOf(
  request: FastifyRequest,
  member?: Static<typeof IdentityProof>,
): Applicant & ChangeAuthor {
  const proof = member ?? proofOfHeader(request);
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
  if (proof === null || typeof proof !== 'object' || validate(proof) !== true)
    throw new ProblemError(
      'invalid_request',
      'X-Identity-Proof must be a JSON object in base64url: provider, and token, message and signature, or email and code.',
    );
  return proof as Static<typeof IdentityProof>;
}

/** The members that a credential of the provider has. Throws invalid_request where one is missing. */
export function credentialOf(body: Static<typeof IdentityProof>, path = ''): Credential {
  const members = credentialMembers[body.provider];
  const missing = members.filter((name) => body[name] === undefined);
  if (missing.length > 0)
    throw new ProblemError('invalid_request', {
      detail: `A credential of ${body.provider} has ${members.join(' and ')}.`,
      members: { errors: missing.map((name) => ({ path: path + name, message: 'is missing' })) },
    });
  return body as Credential;
}
