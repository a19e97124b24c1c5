import type { Database } from '../../../database/database.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';

/** What the changes of a profile need. */
export interface ProfileServices {
  database: Database;
  avatars: AvatarStore;
}
