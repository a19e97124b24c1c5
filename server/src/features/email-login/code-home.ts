/**
 * Stands for a tenant where a code is the player portal's, which belongs to none. So its codes are behind the same wall, under
 * the same rules; no tenant has this id (migration 0014).
 */
export const PORTAL = '00000000-0000-0000-0000-000000000000';
