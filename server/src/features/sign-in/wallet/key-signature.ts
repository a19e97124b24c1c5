import {
  compactSignatureToSignature,
  parseCompactSignature,
  parseSignature,
  recoverMessageAddress,
  type Address,
  type Hex,
  type Signature,
} from 'viem';

/** Half of the order of secp256k1: of the two forms of a signature the one with the smaller s counts (EIP-2). */
const LARGEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Whether a message was signed by the key of an address (ERC-191), in 65 bytes or in the 64 of EIP-2098. */
export async function isSignedByKey(
  { address, message }: { address: Address; message: string },
  signature: string,
): Promise<boolean> {
  if (!/^0x[0-9a-f]{128}([0-9a-f]{2})?$/i.test(signature)) return false;
  try {
    const parts = parse(signature as Hex);
    return (
      BigInt(parts.s) <= LARGEST_S && (await recoverMessageAddress({ message, signature: parts })) === address
    );
  } catch {
    // What is no signature at all: r or s is zero or too large, v is unknown, or no point has these coordinates.
    return false;
  }
}

function parse(signature: Hex): Signature {
  return signature.length === 132
    ? parseSignature(signature)
    : compactSignatureToSignature(parseCompactSignature(signature));
}
