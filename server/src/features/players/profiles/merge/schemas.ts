import { Type } from 'typebox';
import { Guid, Nullable, OneOf } from '../../../../http/schemas.ts';
import { tokenProviders } from '../../../sign-in/login/index.ts';
import { IdentityProof, Token } from '../auth-methods/schemas.ts';

export const MergeProfileRequest = Type.Object(
  {
    sourceProfileId: Guid,
    sourceProvider: Type.Optional(Nullable(OneOf(tokenProviders, { title: 'TokenProvider' }))),
    sourceAuthToken: Type.Optional(Token),
    proof: Type.Optional(IdentityProof),
    sourceProof: Type.Optional(IdentityProof),
  },
  { title: 'MergeProfileRequest' },
);
