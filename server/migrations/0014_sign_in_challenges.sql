-- One-time codes by their id, for sign-in challenges of whatever provider, and codes of the player portal.

ALTER TABLE one_time_codes ADD UNIQUE (tenant_id, id);

-- A portal code is made by the worker, once it has seen that somebody may have it: null until then, and for others for ever.
ALTER TABLE one_time_codes ALTER code_hash DROP NOT NULL;

-- The portal belongs to no tenant: in one_time_codes the nil UUID stands for it.
ALTER TABLE tenants ADD CONSTRAINT tenants_id_is_not_nil CHECK (id <> '00000000-0000-0000-0000-000000000000');
