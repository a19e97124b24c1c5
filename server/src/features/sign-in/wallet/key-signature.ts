import {
  compactSignatureToSignature,
  parseCompactSignature,
  parseSignature,
  recoverMessageAddress,
  type Address,
  type Hex,
  type Signature,
} from 'viem';
import { createSliceTurns } from '../../../core/concurrency/turns.ts';

/** Half of the order of secp256k1. Every signature has two forms. Only the one with the smaller `s` is accepted (EIP-2). */
const LARGEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * To recover a key takes 1 to 3 ms of the event loop, more than the rest of a sign-in. The public game key of one tenant is enough to cause
 * 500 recoveries per second. So one of them runs in a turn of the event loop, and tenants take turns.
 */
const recoverInTurn = createSliceTurns('wallet signatures');

/**
 * Whether the key of an address signed a message (ERC-191) of a challenge of the tenant. A signature has 65 bytes, or 64 bytes (EIP-2098).
 * Throws busy.
 */
export async function isSignedByKey(
  tenantId: string,
  message: { address: Address; message: string },
  signature: string,
): Promise<boolean> {
  if (!/^0x[0-9a-f]{128}([0-9a-f]{2})?$/i.test(signature)) return false;
  return recoverInTurn(tenantId, () => recoversTo(message, signature as Hex));
}

async function recoversTo(
  { address, message }: { address: Address; message: string },
  signature: Hex,
): Promise<boolean> {
  try {
    const parts = parse(signature);
    return (
      BigInt(parts.s) <= LARGEST_S && (await recoverMessageAddress({ message, signature: parts })) === address
    );
  } catch {
    // The signature is malformed: `r` or `s` is out of range, `v` is unknown, or the point is not on the curve.
    return false;
  }
}

function parse(signature: Hex): Signature {
  return signature.length === 132
    ? parseSignature(signature)
    : compactSignatureToSignature(parseCompactSignature(signature));
}
