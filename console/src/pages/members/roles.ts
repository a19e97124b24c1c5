import type { Role } from '../../app/account';

export const ROLES: { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'viewer', label: 'Viewer' },
];

/** The roles that a member may give and take. The server has the same rule: docs/studio.md. */
export function rolesManagedBy(role: Role | undefined): typeof ROLES {
  if (role === 'owner') return ROLES;
  return role === 'admin' ? ROLES.filter(({ value }) => value !== 'owner') : [];
}

/** What a member with the role can do. */
export const ABILITIES: Record<Role, string> = {
  owner: 'change everything, including the workspace and its owners',
  admin: 'change games, keys, players and members, but not owners',
  viewer: 'read, but change nothing',
};
