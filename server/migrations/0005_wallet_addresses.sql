-- The wallet's address that a WalletJwt issuer tells of a player, as EIP-55 writes it, at the latest sign-in that told one.
-- It is what the issuer says, not what the player has proven: nobody is found by it.
ALTER TABLE auth_methods ADD COLUMN wallet_address text;
