/** Shows that the player owns a sign-in method of the profile. Each proof works once. */
export type IdentityProof =
  | { provider: 'EmailOneTimeCode'; email: string; code: string }
  | { provider: 'EvmWallet'; message: string; signature: string }
  | { provider: 'StoreA'; token: string };

export interface WithProof {
  /** Needed if games of several workspaces know the player, and no portal session makes the request. */
  proof?: IdentityProof | undefined;
}

/** The header that carries a proof: JSON in base64url. */
export function proofHeader({ proof }: WithProof): { 'x-identity-proof'?: string } {
  if (!proof) return {};
  const bytes = new TextEncoder().encode(JSON.stringify(proof));
  const base64 = btoa(String.fromCharCode(...bytes));
  return {
    'x-identity-proof': base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  };
}
