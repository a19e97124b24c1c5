-- What wallets are asked to sign. A challenge is deleted when it is used, and in the night after it has expired: one that
-- was used is not there any more, so nothing has to remember to look whether it was.

CREATE TABLE wallet_challenges (
  tenant_id  uuid NOT NULL,
  id         uuid NOT NULL,
  nonce      text NOT NULL,
  address    text NOT NULL,                         -- with the checksum of EIP-55
  chain_id   bigint NOT NULL,
  message    text NOT NULL,                         -- EIP-4361, as it was issued
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, nonce)
);
CALL guildhall_isolate_tenant('wallet_challenges');

GRANT SELECT, INSERT, DELETE ON wallet_challenges TO guildhall_app;
