import { Type } from 'typebox';
import { CursorPage, Guid, OneOf, Timestamp } from '../../../../http/schemas.ts';

/** The response header with the id of the receipt of a deletion. */
export const RECEIPT_HEADER = 'X-Deletion-Receipt';

/** The answer to a deletion. */
export const Deleted = Type.Null({
  headers: { [RECEIPT_HEADER]: { type: 'string', description: 'The id of the receipt of the deletion.' } },
});

export const DeletionReceipt = Type.Object(
  {
    receiptId: Guid,
    playerId: Guid,
    deletedAt: Timestamp,
    deletedBy: OneOf(['player', 'account'], {
      description: 'The player, or the account of a platform administrator.',
    }),
    removedAuthMethods: Type.Integer({ description: 'The number of sign-in methods that were removed.' }),
    erasedSessions: Type.Integer({ description: 'The number of sessions whose IP address was erased.' }),
    destroyedKeys: Type.Integer({
      description:
        'The number of sessions whose key was destroyed. The key encrypted the IP address and the metadata in the login and logout ledgers.',
    }),
  },
  { title: 'DeletionReceipt' },
);

export const DeletionReceiptPage = CursorPage(DeletionReceipt);
