/**
 * Stands for a tenant in tables of codes, challenges and counts, if they are the player portal's: it belongs to none. So they are
 * under the same rules; no tenant has this id (migration 0003).
 */
export const PORTAL = '00000000-0000-0000-0000-000000000000';
