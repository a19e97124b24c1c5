-- Reading sessions back: a player's history and summary over all tenants, a tenant's analytics, forced ends of sessions.

-- A player who blocks a device ends its sessions.
GRANT INSERT ON logout_ledger TO guildhall_player;
