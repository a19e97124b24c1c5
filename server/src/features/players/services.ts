import type { ObjectStorage } from '../../outbound/object-storage.ts';
import type { BaseServices, CloseLater } from '../base-services.ts';
import { createProfileLookups } from './lookup/index.ts';
import { createChangeBudgets, openAvatarStore } from './profiles/index.ts';

export async function openPlayerServices(
  { database, issuer, createBudget }: BaseServices,
  { avatarStorage }: { avatarStorage: ObjectStorage },
  closeLater: CloseLater,
) {
  return {
    ...createChangeBudgets(createBudget),
    profileLookups: closeLater(createProfileLookups(database)),
    avatars: await openAvatarStore(avatarStorage, issuer),
  };
}
