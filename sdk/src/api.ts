// Generated from the OpenAPI document by `npm run generate --workspace sdk`. Do not edit.
// Document: 7147647edaedd3ed636f124ce0eca6d33709f3aea4c22029bdf9e1ae6c02cf62

export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics for Prometheus
         * @description Needs the token of the setting `METRICS_TOKEN`. If the setting is empty, the endpoint is open only while the server listens on loopback and `TRUST_PROXY` is off.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is running
         * @description Returns 200 if the process answers requests. Use it as a liveness probe.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the server is ready
         * @description Returns 200 if the database answers, and 503 if it does not or the server is about to stop. Use it as a readiness probe. The result is up to 250 ms old.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys (JWKS)
         * @description Returns the public keys that verify access tokens. Clients can cache them for 5 minutes.
         */
        get: operations["getPublicKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit records of a tenant
         * @description Returns the audit records of the tenant, newest first.
         */
        get: operations["listTenantAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit records of a workspace
         * @description Returns the audit records of the workspace and its tenants, newest first.
         */
        get: operations["listWorkspaceAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all audit records
         * @description Returns the audit records of the whole deployment, newest first. Records without workspace and tenant are included, for example the deletion of a player.
         */
        get: operations["listPlatformAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List signing keys
         * @description Returns the keys whose access tokens are accepted, newest first.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing keys
         * @description Creates the next signing key. The old keys stay valid until their last token has expired, so no token is refused. If a new key is waiting already, the response is 409 `conflict`. The same as `guildhall keys rotate`.
         */
        post: operations["rotateSigningKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List job queues
         * @description Returns the queues of background work with the number of their jobs. A worker counts running and failed jobs every 10 seconds.
         */
        get: operations["listJobQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of the deployment
         * @description Checks the database, the worker, the mail server, Redis and the EVM chain. If the database is unavailable, every request fails with 503. Load balancers use `/health/ready`.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a player in
         * @description Verifies the credential with its provider and starts a session. Creates the player if none exists, unless `createAccountIfMissing` is false.
         */
        post: operations["logInPlayer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/players": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a player
         * @description Verifies the credential with its provider, creates the player and starts a session. Returns 409 if the player exists.
         */
        post: operations["createPlayer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/players/exists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find a player by provider id
         * @description Returns the id of the player who has a user id at a provider. Never signs in and never creates a player.
         */
        post: operations["getPlayerByProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/wallet/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a wallet challenge
         * @description Returns a message for the wallet to sign. Send the signature to `/api/player-auth/wallet/verify`. The message is valid for one attempt within 5 minutes. Limit: 300 unanswered challenges in 15 minutes from one network in a tenant.
         */
        post: operations["createWalletChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/wallet/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a wallet
         * @description Verifies the signed message of a challenge and starts a session. A message is valid for one attempt. After `busy`, `too_many_attempts` or `provider_unavailable`, you can send it again. After another error, request a new challenge. Creates the player if none exists, unless `createAccountIfMissing` is false. Limit: 900 signatures of contract wallets in 15 minutes from one network in a tenant.
         */
        post: operations["logInPlayerByWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/otc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a one-time code
         * @description Sends a code of six digits, valid for 10 minutes and five attempts. The response is the same for known and unknown addresses. A second request within 30 seconds sends no email and returns the existing code’s times. Limit: 20 emails a day from one tenant to one address.
         */
        post: operations["sendOneTimeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/otc/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a one-time code
         * @description Creates the player if no player has the address, unless `createAccountIfMissing` is false. A code works once. A wrong, used or expired code returns the same 401. If a player signed up with the address and never verified it, this removes that player’s password, sessions and other sign-in methods. Limit: 10 wrong codes per address, and 100 in total, within 15 minutes from one network.
         */
        post: operations["logInPlayerByCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up with a password
         * @description Creates a player with an email address and a password, signs the player in, and mails a token that verifies the address. Returns 409 if a player has the address. Limit: 600 players in 10 minutes from one network.
         */
        post: operations["signUpPlayer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/tenant-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description Signs in with an email address and a password. Never creates a player. Limit: 10 wrong passwords per address, and 100 in total, within 15 minutes from one network.
         */
        post: operations["logInPlayerByPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an email address
         * @description Takes the token of a verification email. The token works once, for 24 hours, in the tenant that requested it.
         */
        post: operations["verifyPlayerEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/password-reset/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset
         * @description Mails a token that sets a new password. The response is the same for known and unknown addresses. Requests for one address in the same half minute of the clock send one email.
         */
        post: operations["requestPlayerPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password
         * @description Takes the mailed token. The token works once, for one hour, in the tenant that requested it. The request also verifies the address, ends all sessions of the player (their refresh tokens stop working), and mails a notice to the verified addresses of the player. A hard stop of the plan does not refuse it.
         */
        post: operations["resetPlayerPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a sign-in challenge
         * @description EvmWallet: `subject` is the wallet’s address, and the wallet signs `message`, as with `/api/player-auth/wallet/challenge`. EmailOneTimeCode: `subject` is an email address that gets a code, as with `/api/player-auth/email/otc`. A second request within 30 seconds returns the same challenge. The answer may also be sent to the provider’s own endpoint.
         */
        post: operations["createLoginChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/challenge/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a sign-in challenge
         * @description Verifies the answer and starts a session. A wallet’s challenge allows one attempt, and a mailed code allows five. Every wrong, used or expired challenge returns the same 401. Creates the player if none exists, unless `createAccountIfMissing` is false.
         */
        post: operations["logInPlayerByChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token
         * @description Returns a new access token and a new refresh token. The old refresh token stops working. If requests run in parallel without an `Idempotency-Key`, only one succeeds. A later reuse of the old token ends the session. A repeated request with the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used.
         */
        post: operations["refreshPlayerSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session
         * @description Ends the session and revokes its refresh token. The access token stays valid until it expires. Idempotent: a second call returns the first result. If the request has a bearer token, the session must belong to its player. A game key with `requirePlayerToken` needs the token: refresh an expired one first. A hard stop of the plan does not refuse a logout, but it refuses a refresh.
         */
        post: operations["logOutPlayer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/player": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify a player’s token
         * @description Returns the player of the access token. A game server calls it with its game key and the token that a game client sent. Answers 401 for a token of another tenant or of the player portal, and if the session has ended or the player’s account is closed. Answers 403 if the player is banned.
         */
        get: operations["verifyPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the verification email
         * @description Mails another token that verifies the address of the sign-up. The earlier tokens stay valid. The bearer is an access token of the player, because a player can play before the address is verified. A request within 30 seconds of the last email sends none. Answers 409 if the player has no address to verify.
         */
        post: operations["resendPlayerVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/jwt/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue an assertion
         * @description An assertion proves the player’s identity to one third party, for 5 minutes. The bearer is the player’s access token, or a refresh token that the third party received with an earlier assertion. With a refresh token, the audience must be the same, and the response contains the next refresh token. If exchanges of one refresh token run in parallel without an `Idempotency-Key`, only one succeeds. A later reuse revokes the refresh token and all its successors. A repeated request with the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used. Answers 401 for an access token whose session was revoked for a reason of security.
         */
        post: operations["createAssertion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-auth/jwt/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an assertion
         * @description Returns the player of the assertion. Use it instead of verifying the assertion with the public keys, or to check whether the player was banned in the meantime. The request must contain the audience of the assertion.
         */
        post: operations["validateAssertion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/storea/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a StoreA sign-in
         * @description Redirect the browser to `authUrl`. StoreA redirects it back to the page `/sign-in/store-a` of the portal. The player has 10 minutes. The request has no body. Limit: 100 sign-ins in 10 minutes from one network.
         */
        post: operations["startStoreAPortalLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/storea/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a StoreA sign-in
         * @description Returns tokens for the player to whom the StoreA account is linked. Never creates a player. A callback works once. It is used up even if StoreA is unavailable (502). In that case, start a new sign-in.
         */
        post: operations["finishStoreAPortalLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/email/otc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a portal code
         * @description Sends a one-time code of six digits, valid for 10 minutes and five attempts. The response is the same for every address, but only an address that a player has verified gets an email. A second request within 30 seconds sends no email and returns the existing code’s times. Limit: 20 emails a day to one address.
         */
        post: operations["sendPortalCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/otc/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a portal code
         * @description Returns tokens for the player who has verified the address. Never creates a player. A code works once, and only in the portal. A wrong, used or expired code returns the same 401. Limit: 10 wrong codes per address, and 100 in total, within 15 minutes from one network.
         */
        post: operations["logInToPortalByCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/wallet/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a wallet proof challenge
         * @description Returns a message for the wallet to sign. The signature is the proof of identity for one change of a profile. The message works once, for 5 minutes. It does not sign in to a game.
         */
        post: operations["createWalletProofChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a portal refresh token
         * @description Returns a new access token and a new refresh token. The old refresh token stops working. If requests run in parallel without an `Idempotency-Key`, only one succeeds. A later reuse of the old token ends the session. A repeated request with the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used.
         */
        post: operations["refreshPortalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-portal-auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out of the portal
         * @description Ends the session of the refresh token. The access token stays valid until it expires, for at most two hours.
         */
        post: operations["logOutOfPortal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your devices
         * @description Lists the devices that the player has signed in from, in all tenants, the last used first. A player has at most 50 devices. A new device replaces the one that was unused for the longest time. Blocked devices are never replaced. Trusted devices are replaced only if there are no others.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Name, trust or block a device
         * @description Changes only the fields that are sent. Blocking a device ends its sessions and refresh tokens in all tenants (reason `device_blocked`) and refuses logins from it. The access tokens of these sessions can then neither read nor change devices. The token that blocks its own device still can. If games of several workspaces know the player, `isBlocked` needs a portal token or a proof of identity.
         */
        patch: operations["updateDevice"];
        trace?: never;
    };
    "/api/player/sessions/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your logins
         * @description Lists the player’s logins in all tenants or in one, with those of merged profiles, the newest first. For the next page, send both values of the cursor unchanged. The pages contain each login exactly once, even if new logins arrive.
         */
        get: operations["listPlayerSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player/sessions/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize your logins
         * @description Returns totals over all tenants, with the logins of merged profiles, and the ten latest logins.
         */
        get: operations["getPlayerSessionSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your profile
         * @description Returns the whole profile of the player. Only this view contains the email address, the sign-in methods and the merged profiles.
         */
        get: operations["getOwnProfile"];
        put?: never;
        post?: never;
        /**
         * Delete your profile
         * @description Clears the profile, removes all sign-in methods and revokes all refresh tokens. It cannot be undone. An access token can still read the remaining data until it expires. A later sign-in creates a new player. The header `X-Deletion-Receipt` has the number of the receipt. Idempotent.
         */
        delete: operations["deleteOwnProfile"];
        options?: never;
        head?: never;
        /**
         * Update your profile
         * @description Changes only the fields that are sent. The email address cannot be changed here.
         */
        patch: operations["updateOwnProfile"];
        trace?: never;
    };
    "/api/player-profile/me/bus_tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your tenants
         * @description Returns the tenants that the player has signed in to, with those of merged profiles. The last visited tenant is first. At most 1,000 tenants.
         */
        get: operations["listOwnTenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export your data
         * @description Streams all data about the player as one JSON object: profile, devices, bans, sessions, logins, logouts, matches and events. It includes all tenants and merged profiles. A player can have one export in progress, and a network eight.
         */
        get: operations["exportOwnData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/avatar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an avatar
         * @description Accepts a PNG or JPG of at most 2 MiB, 16.7 megapixels (4096 × 4096), and 16,384 pixels per side. The server encodes the image again: upright, at most 512 × 512 pixels, without metadata. Each upload gets a new URL, which becomes the profile’s `avatarUrl`. The previous image is removed. A player can have one upload in progress. For the rate limit, an upload counts as 30 requests.
         */
        post: operations["uploadAvatar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/auth-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sign-in methods
         * @description Returns the sign-in methods of the player, the primary one first. A portal session that was opened by a method without proof gets only this method, as soon as games of other workspaces know the player. It can remove the method.
         */
        get: operations["listAuthMethods"];
        put?: never;
        /**
         * Link a sign-in method
         * @description Verifies the credential with its provider, as at a sign-in, and adds the identity to the profile. A profile can have at most 50 sign-in methods. An identity that is already linked stays linked. An identity of another profile cannot be linked: merge that profile instead.
         */
        post: operations["linkAuthMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/auth-methods/{authMethodId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a sign-in method
         * @description The last sign-in method cannot be removed. If the removed one was primary, the last used one becomes primary. The sessions that the method opened end, in all tenants and in the player portal.
         */
        delete: operations["unlinkAuthMethod"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/auth-methods/{authMethodId}/set-primary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the primary sign-in method
         * @description Replaces the previous primary method. Answers 400 if the profile has no such method. A repeated call changes nothing.
         */
        post: operations["setPrimaryAuthMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profile/me/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge another profile into this one
         * @description Use it if a player has two profiles. Needs a token that signs in to the source profile (`sourceProvider` and `sourceAuthToken`), or a proof of identity of it (`sourceProof`), for example of its wallet. If games of other workspaces know the source, it needs a proof of both profiles. The sign-in methods, tenants, devices and bans of the source move to the caller’s profile. The source is closed: its sessions end, and its tokens stop working. The merge is atomic and cannot be undone.
         */
        post: operations["mergeProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profiles/{playerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up a player
         * @description Returns a player of the key’s tenant. A game key sees all players, but only `id` and `profileVisibility` of private ones. An API key sees players who are neither private nor hidden in the tenant. The id of a merged profile returns the profile that it was merged into, with its own `id`. Send one key: both together get a 400.
         */
        get: operations["getPlayerProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/player-profiles/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up several players
         * @description Returns up to 100 players of the tenant, by the same rules as a single lookup with an API key. The other ids are in `notFound`, without a reason. If two ids belong to one merged player, `items` contains that player twice.
         */
        post: operations["getPlayerProfiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List players
         * @description Lists all players who have signed in to the tenant, including deleted ones. A search finds and counts at most 2,500 players. If more match, use a longer search text. A filter finds and counts at most 50,000 banned and 50,000 hidden players.
         */
        get: operations["listTenantPlayers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get several players
         * @description Returns up to 100 players, for example to show names beside the ids of events. The id of a merged profile returns the profile that it was merged into.
         */
        post: operations["getTenantPlayers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a player
         * @description The id of a merged profile returns the profile that it was merged into, with its own `playerId`. `mergedProfileIds` lists the merged profiles that this tenant knew.
         */
        get: operations["getTenantPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a player
         * @description Changes the player’s role in the tenant, or hides them from discovery. Changes only the fields that are sent. Takes effect immediately, in this tenant only. The numbers of records are read after the change is stored. If that fails (429 `too_many_reads`, 503), the change remains.
         */
        patch: operations["updateTenantPlayer"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions of a player
         * @description Lists the player’s sessions in the tenant, with those of merged profiles, the latest first.
         */
        get: operations["listTenantPlayerSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List devices of a player
         * @description Lists the devices that the player has used in the tenant, the last used first.
         */
        get: operations["listTenantPlayerDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ban a player
         * @description Refuses the player’s logins to the tenant and ends their sessions there (reason `account_suspended`). They can neither refresh tokens nor join a new match. Access tokens stay valid until they expire. A new ban replaces the active one.
         */
        post: operations["banPlayer"];
        /**
         * Lift a ban
         * @description Allows the player to log in to the tenant again. Idempotent: if the player is not banned, it answers 204 too.
         */
        delete: operations["liftPlayerBan"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/force-logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Force a player to log out
         * @description Ends all sessions of the player in the tenant. Each one gets a row in the logout ledger (reason `kicked`), and its refresh token stops working. Access tokens stay valid until they expire. The player can log in again: use a ban to prevent that.
         */
        post: operations["forcePlayerLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/bans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List bans of a player
         * @description Lists active, expired and lifted bans in the tenant, the latest first, at most the last 10,000.
         */
        get: operations["listPlayerBans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notes about a player
         * @description Returns the notes of the tenant about the player, newest first. After a merge, there can be more than 200. The list has the newest 1,000.
         */
        get: operations["listPlayerNotes"];
        put?: never;
        /**
         * Add a note about a player
         * @description Only members of the workspace see the note. It is deleted with the profile of the player. If the player has 200 notes or more, the response is 409.
         */
        post: operations["createPlayerNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a note about a player
         * @description Deletes the note. Any administrator of the workspace may delete it.
         */
        delete: operations["deletePlayerNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/players/{playerId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export data of a player
         * @description Streams all data of the tenant about the player as one JSON object: profile, devices, bans, sessions, logins, logouts, matches and events. It includes merged profiles. It has no data of other tenants, and no notes of the workspace. Use it to answer a request of a player about their data. An account can have two exports in progress, and a tenant four. Writes the audit record `player.exported`.
         */
        get: operations["exportTenantPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/players/{playerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a player
         * @description Clears the profile, removes all sign-in methods and revokes all refresh tokens in all tenants. Use it for players who cannot delete their profile themselves. It cannot be undone. Idempotent. Answers 404 for the id of a merged profile: use the id of the profile that it was merged into. The header `X-Deletion-Receipt` has the number of the receipt.
         */
        delete: operations["deletePlayer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/players/{playerId}/deletion-receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of a deletion
         * @description Returns when a player was deleted, by whom, and how much was removed. It was written in the transaction of the deletion. Answers 404 if the player was not deleted.
         */
        get: operations["getDeletionReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/deletion-receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List receipts of deletions
         * @description Returns the receipts of all deleted players, newest first.
         */
        get: operations["listDeletionReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/players": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a player in all tenants
         * @description Finds the player of a whole id, email address, or id at a provider, in all tenants. Ids of Mock and WalletJwt belong to a workspace or an issuer: search for them in the list of players of a tenant. Use it to answer a request of a person about their data. The id of a merged profile finds the profile that it was merged into. Each search leaves the audit record `player.searched` for each found player, without the search text.
         */
        get: operations["listMatchingPlayers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/public/player-profiles/{playerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a public profile
         * @description Returns what everybody can see of a player. Answers 404 for a private profile. A limited profile has an empty `games`. A full profile lists the games that the player has signed in to, without hidden and disabled games, and without games in which the player is hidden.
         */
        get: operations["getPublicPlayerProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/avatars/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an avatar image
         * @description Returns an uploaded image. Use the `avatarUrl` of a profile. The image of a URL never changes, so clients can cache it for one year.
         */
        get: operations["getAvatar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a match
         * @description Creates a running match with its roster. Each player needs a session that has not ended and whose sign-in was within the last 2 hours. A refresh does not count, so sign the player in again before the match if necessary. Without a given session, it is the latest session of the player in the tenant. If any player is rejected, nothing is created and `errors` lists the rejected players. The status is then 410 if a session has ended or expired, and 404 if only players or sessions are unknown. With a bearer token, the player of the token is the only player allowed. With an `Idempotency-Key`, an equal request within 24 hours returns the first response.
         */
        post: operations["createMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches/{matchSessionId}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a player to a match
         * @description Adds a player to a running match. The player needs a session like the players of a new match (409 `session_expired` otherwise). A player who has left may join again and keeps the same `matchPlayerId`. A match may have at most 1,000 players. With an `Idempotency-Key`, an equal request within 24 hours returns the first response.
         */
        post: operations["joinMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches/{matchSessionId}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that a player left
         * @description Sets `leftAt` of a match player. The player stays in the roster and keeps the result. Idempotent: a second call returns the first time.
         */
        post: operations["leaveMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches/{matchSessionId}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a match
         * @description Sets `endedAt`. Players can no longer join, but results can still be recorded. Idempotent: a second call returns the first end. With a bearer token, the roster may contain only the player of the token. If others were in the match, even if they have left, the game server ends it, with its game key alone.
         */
        post: operations["endMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches/{matchSessionId}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Record match results
         * @description Replaces the whole result of each given player, before or after the end of the match. An absent field clears the stored value. The results of other players do not change. If any player is not in the roster, nothing is written and `errors` lists these players.
         */
        put: operations["recordMatchResults"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/matches/{matchSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a match
         * @description Returns the match with its whole roster and results, including players who have left.
         */
        get: operations["getMatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a batch of match events
         * @description Checks each event on its own. `records` lists the events that this request stored, `errors` the events that were rejected. Idempotent: `duplicateCount` counts the events that were already stored, so a client can send a batch again safely. The plan of the workspace limits the number of events per batch. If the new events of a batch exceed the hard stop of the plan, the whole batch is rejected with 429 `quota_exceeded`. The body may also be the array of events alone.
         */
        post: operations["ingestMatchEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/game/player-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a batch of player events
         * @description Checks each event on its own. `records` lists the events that this request stored, `errors` the events that were rejected. Idempotent: `duplicateCount` counts the events that were already stored, so a client can send a batch again safely. The plan of the workspace limits the number of events per batch. If the new events of a batch exceed the hard stop of the plan, the whole batch is rejected with 429 `quota_exceeded`. The body may also be the array of events alone.
         */
        post: operations["ingestPlayerEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/event-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event definitions
         * @description Returns all event definitions of a tenant as an array, sorted by key and value. With `paged=true`, returns one page. `search`, `eventScope` and `isActive` select definitions. An array of more than 500 definitions counts as an export while it is sent.
         */
        get: operations["listEventDefinitions"];
        put?: never;
        /**
         * Create an event definition
         * @description Creates one definition. The pair of key and value is unique within the tenant, inactive definitions included. A tenant may have at most 20,000 definitions. To create many, use the CSV import.
         */
        post: operations["createEventDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/event-definitions/{definitionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an event definition
         * @description Changes the given fields. Key and value cannot be changed and are ignored. Null clears the category or the description. Events that use an inactive definition are rejected.
         */
        patch: operations["updateEventDefinition"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/event-definitions/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get event definition settings
         * @description Returns whether events of the tenant may create definitions.
         */
        get: operations["getEventDefinitionSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change event definition settings
         * @description Turns auto-create on or off. A change usually applies to the next event, and at the latest after 5 minutes.
         */
        patch: operations["updateEventDefinitionSettings"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/event-definitions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export event definitions as CSV
         * @description Streams all event definitions of a tenant, sorted by key and value. Text that a spreadsheet would run as a formula gets a leading apostrophe. The import removes it.
         */
        get: operations["exportEventDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/event-definitions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import event definitions from CSV
         * @description Creates definitions, or changes existing ones with `overwriteExisting`. The header needs `event_key` and `event_value`. The columns `id` (or `event_definition_id`), `event_scope`, `event_category`, `event_description` and `is_active` are optional. A file may have at most 5,000 rows and 2 MiB. Each row is checked on its own, and all valid rows are written in one transaction. If the file as a whole is invalid, the status is 400 and nothing is written. Two imports of an account or tenant can run at once, and each counts as 30 requests. An account can import 200 files of more than 2 KiB in 24 hours (429).
         */
        post: operations["importEventDefinitions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the matches of a tenant
         * @description Returns matches with the number of their players, newest first, in pages. Pass `nextCursor` as `cursor` to read the next page.
         */
        get: operations["listTenantMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/matches/{matchSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a match of a tenant
         * @description Returns the match with its whole roster and results, including players who have left. Only members of the workspace see the sessions of the players.
         */
        get: operations["getTenantMatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List gameplay events
         * @description Returns the stored events of a tenant, newest first, in pages. Pass `nextCursor` as `cursor` to read the next page. Archived events are included. If few of many events match the filter, a page ends after 3 seconds, so it may have fewer events than `limit`, or none, while `hasMore` is true. To read many events, use the export instead.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/events/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export gameplay events
         * @description Streams all events that match the filter, oldest first: one JSON object per line, or CSV with a header line. At most four exports per key or account and eight per tenant run at the same time. Archived events are included.
         */
        get: operations["exportEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/events/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count events by definition and time
         * @description Counts the events of each definition in each time bucket, archived events included. The default range is the last 48 buckets up to now. Events may be dated up to 48 hours ahead of the clock: to count them, send a later `to`. A range has at most 1,500 buckets, and `from` is earlier than `to`. With `groupBy=time`, a row counts all events of a bucket. With `groupBy=eventKey&top=5`, the answer has the five most frequent keys.
         */
        get: operations["getEventSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query gameplay events
         * @description Filters the stored and archived events of a tenant, groups them by up to three members and by time, and returns counts and figures of their values. Rows are sorted by time, then by the number of events, largest first. A query that takes longer than 15 seconds is 503 `query_timeout`. If the client disconnects, the query is cancelled. With a console token it counts as 10 requests.
         */
        post: operations["queryEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/rejected-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rejected events
         * @description Returns the events that were refused in the last 8 days, in groups with the same reason and names, the last seen first. An event appears within 2 seconds. A group counts whole days in UTC: if `from` is within a day, the events before it are counted too. Events with a wrong key or token are not counted, nor are requests that were refused as a whole.
         */
        get: operations["listRejectedEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/sessions/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count logins, logouts and players
         * @description Counts the logins and logouts that the database received in the range, and their distinct players. The counts are exact and include the last committed login. The default range is the last 30 days.
         */
        get: operations["getSessionAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/sessions/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count logins over time
         * @description Counts the logins and their distinct players in each minute, hour or day of the range, for charts. The counts are exact and include the last committed login. Limit: 192 buckets.
         */
        get: operations["getSessionTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/players/lookup/address/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up an address
         * @description Returns the index of the player that the address is linked to, or 404 if there is none.
         */
        get: operations["getWalletPlayerIndexByAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/players/lookup/index/{playerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up a playerId
         * @description Returns the index of the player with this playerId, or 404 if the playerId is free.
         */
        get: operations["getWalletPlayerIndexByPlayerId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/players/add/anon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a player with a password
         * @description Adds a player with a playerId, an address and a password. The address is not proved yet: the first wallet login of the address takes over the player, and the password becomes invalid. Returns 409 if the playerId or the address is taken. One network may add 600 players within 10 minutes.
         */
        post: operations["createAnonymousWalletPlayer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/Auth/wallet/login/wallet-jwt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a wallet JWT
         * @description Verifies the JWT by the tenant’s settings of the provider WalletJwt. The JWT must contain an address. The first login of an address adds its player.
         */
        post: operations["logInWalletPlayerByJwt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/Auth/wallet/login/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description Signs in a player of add/anon. One network may send 10 wrong passwords per player, and 100 in total, within 15 minutes.
         */
        post: operations["logInWalletPlayerByPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/players/{playerIndex}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet-linked player
         * @description Returns any player of the token’s tenant.
         */
        get: operations["getWalletPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/players/set/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the player’s score
         * @description Overwrites the score of the token’s player. A repeated call writes another entry.
         */
        post: operations["setWalletScore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/sessions/login/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a login session
         * @description Call it each time the game is opened. A player may have any number of open login sessions.
         */
        post: operations["startWalletSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/sessions/login/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a login session
         * @description Ends a login session of the token’s player at the current time. Returns 409 if the session has ended, or if its startTime is in the future.
         */
        post: operations["endWalletSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/match/sessions/start/singleplayer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a single-player match session
         * @description Call it when a level has loaded.
         */
        post: operations["startWalletMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/records/match/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a record to a match
         * @description Adds a record to a match of the token’s player. Returns 409 if the player’s part in the match has ended, and 404 if a player in `otherPlayers` does not exist.
         */
        post: operations["createWalletRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/match/player/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the player’s part
         * @description Ends the part of the token’s player in their match and returns its playDataId. No record can be added afterwards.
         */
        post: operations["endWalletPart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/match/sessions/singleplayer/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a match session
         * @description Ends a match of the token’s player and returns the playDataId of the player’s part. Returns 409 if the player’s part has not ended yet.
         */
        post: operations["endWalletMatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/transactions/{transactionHash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a ledger transaction
         * @description Returns the entries of a transaction, with all values that their hashes are computed from. With an EVM chain, `chain` says whether the transaction is final.
         */
        get: operations["getWalletTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/BlockchainStorage/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links of the ledger
         * @description Returns the hashes of up to 1,000 entries from an index on, without their contents, and the head of the chain. Read the contents of an entry with its `transactionHash`. The hashes prove that an entry belongs to the chain that ends in a head. Store a head outside of Guildhall to detect any later change of earlier entries.
         */
        get: operations["listWalletTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/wallet-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entries of the wallet ledger
         * @description Returns entries with all values that their hashes are computed from, and the head of the chain. Read all pages with `order=oldest` to verify the chain. Pass `nextCursor` as `cursor` to read the next page. A request with a filter searches at most 10,000 entries. So a page may have fewer items than `limit`, or none, and still have a next page.
         */
        get: operations["listWalletEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/wallet-transactions/{transactionHash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet transaction
         * @description Returns the entries of a transaction, with all values that their hashes are computed from, and the names of their players. With an EVM chain, `chain` says whether the transaction is final.
         */
        get: operations["getTenantWalletTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a console account
         * @description Signs the new account in. The first account becomes platform administrator only if the server listens on loopback and uses the embedded database. The request must also come from the same machine: no proxy forwarded it, its `Host` is a loopback name or address, and its `Origin`, if any, is the same host. Otherwise run `guildhall bootstrap`. Limit: 300 accounts per network in 10 minutes.
         */
        post: operations["signUpAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in to the console
         * @description If the account has a second factor, the response contains an `mfaToken` instead of tokens. Send it to `/api/saas-auth/totp/verify`. Limits for wrong passwords from one IP address in 15 minutes: 10 per account, 100 in total.
         */
        post: operations["logInAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a printed link
         * @description Send the token of the link that the first start of the server printed. It works once, for 30 minutes, and only while the account has no second factor. A new password ends it.
         */
        post: operations["signInWithLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a console refresh token
         * @description Returns a new access token and a new refresh token. The old refresh token stops working. If parallel requests send the same token without an `Idempotency-Key`, only one succeeds. If a used token is sent again later, the session ends. With an `Idempotency-Key`, a repeated request within 60 seconds returns the same refresh token, until it is used.
         */
        post: operations["refreshAccountSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out of the console
         * @description Ends the session of the refresh token. Its access tokens stop working immediately.
         */
        post: operations["logOutAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an email address
         * @description Send the token that was mailed at sign-up. It works once, for 24 hours.
         */
        post: operations["verifyAccountEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/password-reset/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset
         * @description If an account has the address, a token is mailed. The response is the same for every address. Requests for one address in the same half minute of the clock send one email. An account can have at most 3 tokens that have not expired.
         */
        post: operations["requestAccountPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password
         * @description Send the mailed token and a new password. The token works once, for 1 hour. All sessions end, and the address is verified. A second factor is not removed: the next login asks for it.
         */
        post: operations["resetAccountPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/totp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete login with second factor
         * @description Send the `mfaToken` of the login with a code of the authenticator app or a recovery code. Each code works once. Limits for wrong codes: 10 per account and hour, 100 per network and hour.
         */
        post: operations["verifyAccountTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/invitations/look-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up an invitation
         * @description Returns the invitation of a mailed token, for the page on which a person accepts it. Read-only.
         */
        post: operations["getInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation with a password
         * @description Joins the workspace and signs in. If the invited address has an account, send its password: the response is 200. Otherwise an account is created, even if sign-up is closed: the response is 201. If the account has a second factor, the response is 403: sign in first, then call `POST /api/saas-auth/me/invitations/accept`.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your account
         * @description Returns the account that is signed in and its roles in workspaces.
         */
        get: operations["getOwnAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the verification email
         * @description Mails a new verification token. Limit: 3 per account in 24 hours, with that of the sign-up. If the address is already verified, the response is 409.
         */
        post: operations["resendAccountVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password
         * @description Send the current password and the new one. Ends all other sessions and their access tokens immediately.
         */
        put: operations["updateAccountPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Returns the sessions that can still be refreshed, most recently used first.
         */
        get: operations["listAccountSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description The refresh token and the access tokens of the session stop working immediately. Idempotent.
         */
        delete: operations["endAccountSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/totp/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start adding a second factor
         * @description Returns a new secret for an authenticator app. Confirm it with a code within 1 hour. After that, each login asks for a code. The email address must be verified. If the session is older than 5 minutes, send the current password. A password that is sent is always checked.
         */
        post: operations["enrollAccountTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on the second factor
         * @description Send a code of the authenticator app. Returns ten recovery codes. Save them: they are not shown again.
         */
        post: operations["confirmAccountTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the recovery codes
         * @description Send the current password or a code of the authenticator app. Returns ten new recovery codes. The old ones stop working.
         */
        post: operations["rotateRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the second factor
         * @description Send the current password or a code of the authenticator app. The recovery codes are deleted too.
         */
        delete: operations["disableAccountTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saas-auth/me/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation when signed in
         * @description If the invitation is not for the email address of the account, the response is 403.
         */
        post: operations["joinWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workspaces
         * @description Returns the workspaces that the caller is a member of, oldest first.
         */
        get: operations["listWorkspaces"];
        put?: never;
        /**
         * Create a workspace
         * @description The caller becomes the owner. The workspace gets the default plan. If `slug` is omitted, it is derived from the name. If another workspace has the slug, or the caller owns 100 workspaces, the response is 409. Platform administrators have no limit.
         */
        post: operations["createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description Returns a workspace with its plan and the role of the caller.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a workspace
         * @description Omitted fields keep their value. If another workspace has the slug, the response is 409.
         */
        patch: operations["updateWorkspace"];
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Returns the members in the order in which they joined, then the open invitations.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Invite a person to a workspace
         * @description Mails a token that works once, for 7 days. A second invitation to the same address replaces the first one. Only owners can invite owners. If the address belongs to a member, the response is 409. Limit: 100 members and open invitations of a workspace.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or leave
         * @description The member loses access immediately, even with a valid access token. Every member can remove themselves. The role admin can remove others, but only owners can remove owners. If no owner would remain, the response is 409.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description The change takes effect immediately. Only owners can assign or change the role owner. If no owner would remain, the response is 409.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description The token of the invitation stops working immediately.
         */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/bus_tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Returns the tenants of the workspace: first those that are not disabled, then the disabled ones, both oldest first.
         */
        get: operations["listTenants"];
        put?: never;
        /**
         * Create a tenant
         * @description A tenant is one game, or one environment of a game. If `slug` is omitted, it is derived from the name. If another tenant of the workspace has the slug, or 1,000 tenants are not disabled, or there are 10,000 with disabled ones, the response is 409.
         */
        post: operations["createTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant
         * @description Returns a tenant, even if it is disabled.
         */
        get: operations["getTenant"];
        put?: never;
        post?: never;
        /**
         * Disable a tenant
         * @description The keys of the tenant stop working. No data is deleted. Enable the tenant again with PATCH and `isActive: true`. Idempotent: a second call returns 204 too.
         */
        delete: operations["disableTenant"];
        options?: never;
        head?: never;
        /**
         * Update a tenant
         * @description Omitted fields keep their value. If another tenant of the workspace has the slug, or a tenant is enabled while 1,000 others are not disabled, the response is 409.
         */
        patch: operations["updateTenant"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sign-in providers
         * @description Returns all sign-in providers with the settings of the tenant.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sign-in provider
         * @description Returns a sign-in provider with the settings of the tenant. Secrets are not shown.
         */
        get: operations["getProvider"];
        /**
         * Configure a sign-in provider
         * @description Enables or disables the provider. If `settings` is present, it replaces all settings. An omitted secret keeps its value. If the operator does not allow Mock, a request to enable it returns 422. Idempotent.
         */
        put: operations["updateProvider"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/game-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List game keys
         * @description Returns the keys of the tenant, newest first. Revoked keys are included only if `includeRevoked` is true.
         */
        get: operations["listGameKeys"];
        put?: never;
        /**
         * Create a game key
         * @description The response contains the key. Save it: it is not shown again. If you repeat the request with the same `Idempotency-Key` within 24 hours, you receive the first response without the key. If the tenant has 1,000 keys of this kind that are neither revoked nor expired, or created 2,000 in the last 24 hours, the response is 409.
         */
        post: operations["createGameKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/game-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a game key
         * @description The key stops working immediately. Idempotent: a second call returns 204 too.
         */
        delete: operations["revokeGameKey"];
        options?: never;
        head?: never;
        /**
         * Update a game key
         * @description Omitted fields keep their value. If the key is revoked, or an expired key gets a new expiry while 1,000 others are valid, the response is 409.
         */
        patch: operations["updateGameKey"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/game-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a game key
         * @description Creates a key with the name and settings of the old key, and returns it. Save it: it is not shown again. The old key expires after the grace period. If the old key has an expiry, the new key gets the same lifetime. If the old key is revoked, expired or already rotated, the response is 409. It is also 409 if the tenant has 1,000 valid keys of this kind and the grace period is not 0, or created 2,000 in the last 24 hours.
         */
        post: operations["rotateGameKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns the keys of the tenant, newest first. Revoked keys are included only if `includeRevoked` is true.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The response contains the key. Save it: it is not shown again. If you repeat the request with the same `Idempotency-Key` within 24 hours, you receive the first response without the key. If the tenant has 1,000 keys of this kind that are neither revoked nor expired, or created 2,000 in the last 24 hours, the response is 409.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key stops working immediately. Idempotent: a second call returns 204 too.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Update an API key
         * @description Omitted fields keep their value. If the key is revoked, or an expired key gets a new expiry while 1,000 others are valid, the response is 409. It is also 409 if a rotated or expired key with a `subscriberWorkspaceId` gets a later expiry: set `subscriberWorkspaceId` to null in the same request.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/api-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Creates a key with the name and settings of the old key, and returns it. Save it: it is not shown again. The old key expires after the grace period. If the old key has an expiry, the new key gets the same lifetime. If the old key is revoked, expired or already rotated, the response is 409. It is also 409 if the tenant has 1,000 valid keys of this kind and the grace period is not 0, or created 2,000 in the last 24 hours.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/paid-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List paid API keys
         * @description Returns the API keys of other workspaces whose reads this workspace pays for, oldest agreement first. Revoked and expired keys are not included. `GET …/usage?groupBy=key` returns the usage of each key.
         */
        get: operations["listPaidKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/paid-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop paying for a key
         * @description The key keeps working, but later reads are billed to its own workspace. If the key was rotated, this includes all keys of the same agreement. Both workspaces are notified. If the workspace pays for none of them, the response is 404.
         */
        delete: operations["endPayment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the plan of a workspace
         * @description The change takes effect immediately. Omitted fields keep their value.
         */
        patch: operations["updatePlan"];
        trace?: never;
    };
    "/api/admin/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all workspaces
         * @description Returns the workspaces of the deployment with their plans, newest first. `search` finds workspaces whose name begins with the text, and those with this id, slug, tenant id, or email address of a member. Pass `nextCursor` as `cursor` to read the next page.
         */
        get: operations["listAllWorkspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/workspaces/{workspaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get any workspace
         * @description Returns a workspace with its plan, and the first 200 of its members and tenants. The caller need not be a member. Use `PATCH /api/workspaces/{workspaceId}/plan` to change the plan.
         */
        get: operations["getAnyWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the quota
         * @description Returns the units that the workspace has used in the current billing period, which is the calendar month in UTC. Each accepted request with a key is one unit. In a batch, each stored event is one unit. Writes are included at once, reads within a second.
         */
        get: operations["getQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List billed usage
         * @description Returns the billed usage of up to 366 days, grouped by UTC day, tenant or key. By day, it includes every day of the range. By tenant or key, it includes only those with usage, most units first. Reads with an API key of another workspace are included if the key names this workspace as its subscriber. Names that belong to another workspace are null.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Returns the alerts of all tenants of the workspace, newest first, at most the last 10,000 of the time range. Filter by tenant, type, key or time. For older alerts, send an earlier `to`.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bus_tenants/{tenantId}/alert-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get alert thresholds
         * @description Returns the thresholds of the tenant. They apply to keys that have no thresholds of their own.
         */
        get: operations["getAlertSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change alert thresholds
         * @description Changes the given thresholds of the tenant and keeps the others. They apply from the next request with a key. A key’s own thresholds take precedence.
         */
        patch: operations["updateAlertSettings"];
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * @description Returns your notifications of the last 90 days in pages, newest first, at most the last 10,000.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream notifications
         * @description Sends your notifications as server-sent events. The client must send the `Authorization` header, so use `fetch`: the `EventSource` of browsers cannot send it. Each `notification` event contains the notification as its data and the ID of the notification as its `id`. To resume, send the last ID that you have received, from a stream or from the list, as `Last-Event-ID`. The stream then continues after this notification without gaps or duplicates. Without the header, the stream begins with the next notification.
         *
         *     The server sends a comment every 20 seconds. Before it ends the stream, it sends an `end` event with a reason. `token_expired`: refresh the token, then reconnect. `session_ended`: sign in again. `server_stopping` or `unavailable`: reconnect after some seconds. The server disconnects a client that reads nothing for 30 seconds. An account may have 10 open streams at each server. More are rejected with 429.
         */
        get: operations["streamNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/{notificationId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a notification as read
         * @description Sets `readAt`. Idempotent: a second call keeps the first time.
         */
        post: operations["markNotificationRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark all notifications as read
         * @description Sets `readAt` of all unread notifications of your account. Idempotent.
         */
        post: operations["markAllNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns the webhooks of the workspace or of the deployment in pages, oldest first. Viewers see only the origin of each URL.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Creates an enabled webhook. The response contains the secret that signs deliveries. Save it. It is not shown again. Returns 409 if 50 webhooks exist.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Returns the settings and the state of a webhook, without its secret. Viewers see only the origin of the URL.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook with all its deliveries.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Changes the given fields. A webhook that is enabled again receives its waiting deliveries. A new URL also applies to waiting deliveries.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description Creates a new secret and returns it. Save it. It is not shown again. Deliveries have signatures by the new secret, and by each earlier secret until its overlap ends. If you repeat the request with the same `Idempotency-Key` within 24 hours, you receive the first response without the secret. If 5 earlier secrets still sign, the response is 409. An overlap of 0 ends all of them.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Creates a `webhook.test` delivery. Read the delivery to see its outcome. Returns 409 if the webhook is disabled, and 429 after 120 tests and redeliveries per minute, for the workspace or the account.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description Returns the deliveries of the last 30 days in pages, newest first, at most the last 10,000 of the time range. `status` and `eventType` select from these. For older ones, send an earlier `to`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns a delivery with its request body and its last 100 attempts. Viewers do not get the answers.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event
         * @description Sends a delivery in any state again, with the same `webhook-id` and all retries. Returns 409 while an attempt is running or if the webhook is disabled, and 429 after 120 tests and redeliveries per minute, for the workspace or the account.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List redeliveries of a webhook
         * @description Returns the redeliveries of the last 30 days in pages, newest first. Only the first one may be running.
         */
        get: operations["listWebhookRedeliveries"];
        put?: never;
        /**
         * Redeliver many events
         * @description Sends the deliveries that match again, oldest first, in any state, with the same `webhook-id` and all retries. The filters select from the last 10,000 deliveries of the time range, like the list of deliveries. The server works on it in the background, with at most 100 deliveries at a time. Read the redelivery to see its progress. Returns 409 if the webhook has a running redelivery or is disabled, and 429 after 10 redeliveries per minute, for the workspace or the account.
         */
        post: operations["startWebhookRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/redeliveries/{redeliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a redelivery
         * @description Returns the progress of a redelivery. It changes every second or less often.
         */
        get: operations["getWebhookRedelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspaceId}/webhooks/{webhookId}/redeliveries/{redeliveryId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a redelivery
         * @description Starts no more deliveries. At most 100 that are in progress are still sent, and counted. Idempotent: a redelivery that has ended does not change.
         */
        post: operations["cancelWebhookRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails in the outbox
         * @description Returns the emails of the last 7 days in pages, newest first, at most the last 10,000. If no mail server is configured (`SMTP_URL`), read all emails here. Otherwise the text of an email is erased after its delivery.
         */
        get: operations["listOutboxMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns the webhooks of the workspace or of the deployment in pages, oldest first. Viewers see only the origin of each URL.
         */
        get: operations["listPlatformWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Creates an enabled webhook. The response contains the secret that signs deliveries. Save it. It is not shown again. Returns 409 if 50 webhooks exist.
         */
        post: operations["createPlatformWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Returns the settings and the state of a webhook, without its secret. Viewers see only the origin of the URL.
         */
        get: operations["getPlatformWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook with all its deliveries.
         */
        delete: operations["deletePlatformWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Changes the given fields. A webhook that is enabled again receives its waiting deliveries. A new URL also applies to waiting deliveries.
         */
        patch: operations["updatePlatformWebhook"];
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description Creates a new secret and returns it. Save it. It is not shown again. Deliveries have signatures by the new secret, and by each earlier secret until its overlap ends. If you repeat the request with the same `Idempotency-Key` within 24 hours, you receive the first response without the secret. If 5 earlier secrets still sign, the response is 409. An overlap of 0 ends all of them.
         */
        post: operations["rotatePlatformWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Creates a `webhook.test` delivery. Read the delivery to see its outcome. Returns 409 if the webhook is disabled, and 429 after 120 tests and redeliveries per minute, for the workspace or the account.
         */
        post: operations["testPlatformWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description Returns the deliveries of the last 30 days in pages, newest first, at most the last 10,000 of the time range. `status` and `eventType` select from these. For older ones, send an earlier `to`.
         */
        get: operations["listPlatformWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns a delivery with its request body and its last 100 attempts. Viewers do not get the answers.
         */
        get: operations["getPlatformWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event
         * @description Sends a delivery in any state again, with the same `webhook-id` and all retries. Returns 409 while an attempt is running or if the webhook is disabled, and 429 after 120 tests and redeliveries per minute, for the workspace or the account.
         */
        post: operations["redeliverPlatformWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List redeliveries of a webhook
         * @description Returns the redeliveries of the last 30 days in pages, newest first. Only the first one may be running.
         */
        get: operations["listPlatformWebhookRedeliveries"];
        put?: never;
        /**
         * Redeliver many events
         * @description Sends the deliveries that match again, oldest first, in any state, with the same `webhook-id` and all retries. The filters select from the last 10,000 deliveries of the time range, like the list of deliveries. The server works on it in the background, with at most 100 deliveries at a time. Read the redelivery to see its progress. Returns 409 if the webhook has a running redelivery or is disabled, and 429 after 10 redeliveries per minute, for the workspace or the account.
         */
        post: operations["startPlatformWebhookRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/redeliveries/{redeliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a redelivery
         * @description Returns the progress of a redelivery. It changes every second or less often.
         */
        get: operations["getPlatformWebhookRedelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/webhooks/{webhookId}/redeliveries/{redeliveryId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a redelivery
         * @description Starts no more deliveries. At most 100 that are in progress are still sent, and counted. Idempotent: a redelivery that has ended does not change.
         */
        post: operations["cancelPlatformWebhookRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "alert.rate_spike": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a rate spike alert
         * @description A key sent more requests in a minute than its alert threshold.
         */
        post: operations["receiveRateSpikeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.payload_spike": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a payload spike alert
         * @description A key sent more bytes in a minute than its alert threshold.
         */
        post: operations["receivePayloadSpikeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "usage.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a usage warning
         * @description A workspace used 75, 90 or 100 % of the units of its month.
         */
        post: operations["receiveUsageWarning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "player.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a player deletion
         * @description A player deleted the profile, or a platform administrator did. Each tenant that knew the player has its own event.
         */
        post: operations["receivePlayerDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "player.merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a player merge
         * @description A player merged two profiles. Each tenant that knew the merged profile has its own event.
         */
        post: operations["receivePlayerMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a test
         * @description A user requested a test. It goes to one webhook only, with any `eventTypes`.
         */
        post: operations["receiveWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AcceptInvitationRequest: {
            /** @description The token from the email. */
            token: string;
            /** @description The password of the account. If the address has no account, the password of the new one. */
            password: string;
            /** @description At least one visible character, without control characters and line breaks. Only a new account gets it. */
            displayName?: string | undefined;
        };
        AcceptedInvitation: {
            /** @description A JWT for `Authorization: Bearer`. */
            accessToken: string;
            /** @description An opaque token. Exchange it once for new tokens. */
            refreshToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            expiresIn: number;
            user: components["schemas"]["User"];
            membership: components["schemas"]["Membership"];
        };
        AccountEmailRequest: {
            /** Format: email */
            email: string;
        };
        AccountLinkRequest: {
            /** @description The token at the end of the link. */
            token: string;
        };
        AccountLoginRequest: {
            /** Format: email */
            email: string;
            password: string;
        };
        AccountLoginResult: components["schemas"]["AccountTokens"] | components["schemas"]["SecondFactorRequired"];
        AccountSession: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When the session was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the session was created or last refreshed.
             */
            lastUsedAt: string;
            /** @description The IP address that created or last refreshed the session. */
            ipAddress: string | null;
            /** @description The user agent at that time, at most 256 characters. */
            userAgent: string | null;
            /** @description Whether this is the session of the request. */
            isCurrent: boolean;
        };
        AccountSessionPage: {
            items: components["schemas"]["AccountSession"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        AccountSessionRequest: {
            refreshToken: string;
        };
        AccountSignUpRequest: {
            /** Format: email */
            email: string;
            password: string;
            /** @description At least one visible character, without control characters and line breaks. */
            displayName?: string | undefined;
        };
        AccountTokens: {
            /** @description A JWT for `Authorization: Bearer`. */
            accessToken: string;
            /** @description An opaque token. Exchange it once for new tokens. */
            refreshToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            expiresIn: number;
            user: components["schemas"]["User"];
        };
        /** @description The active ban, or null. */
        ActivePlayerBan: {
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: until the ban is lifted.
             */
            until: string | null;
        };
        Alert: {
            /** Format: uuid */
            id: string;
            /** @description `rate_spike`: requests per minute. `payload_spike`: inbound bytes per minute. */
            type: components["schemas"]["AlertType"];
            keyKind: components["schemas"]["KeyKind"];
            /** Format: uuid */
            keyId: string;
            /** Format: uuid */
            tenantId: string;
            /**
             * Format: int64
             * @description The threshold when the alert was raised.
             */
            threshold: number;
            /**
             * Format: int64
             * @description The requests or bytes within the minute when the alert was raised.
             */
            observed: number;
            /**
             * Format: date-time
             * @description The start of the minute.
             */
            windowStart: string;
            /** Format: date-time */
            createdAt: string;
        };
        AlertPage: {
            items: components["schemas"]["Alert"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        AlertSettings: {
            /** @description A key that sends more requests within a minute raises an alert. */
            rateLimitPerMinute: number;
            /**
             * Format: int64
             * @description A key that sends more bytes within a minute raises an alert.
             */
            payloadBytesPerMinute: number;
        };
        /** @enum {string} */
        AlertType: "rate_spike" | "payload_spike";
        AnyWorkspace: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            createdAt: string;
        };
        AnyWorkspaceDetail: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            createdAt: string;
            members: components["schemas"]["MemberOfWorkspace"][];
            tenants: components["schemas"]["TenantOfWorkspace"][];
        };
        AnyWorkspacePage: {
            items: components["schemas"]["AnyWorkspace"][];
            hasMore: boolean;
            /** @description The cursor of the next page. Absent on the last page. */
            nextCursor?: string | undefined;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether the key can read player data. */
            allowDataApi: boolean;
            /**
             * Format: uuid
             * @description The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.
             */
            subscriberWorkspaceId: string | null;
        };
        ApiKeyPage: {
            items: components["schemas"]["ApiKey"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        AssertionResult: {
            /** @description A JWT that identifies the player. */
            assertionToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description Seconds until the assertion expires. */
            expiresIn: number;
            audience: string;
            /** @description An opaque token. It works once, for this audience. */
            refreshToken?: string | undefined;
        };
        AuditActor: {
            kind: components["schemas"]["AuditActorKind"];
            /** Format: uuid */
            id: string | null;
            /** @description The address of the account, if it is a member of the workspace. */
            email: string | null;
        };
        /** @enum {string} */
        AuditActorKind: "account" | "player" | "key" | "system";
        AuditRecord: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurredAt: string;
            /** Format: uuid */
            workspaceId: string | null;
            /** Format: uuid */
            tenantId: string | null;
            actor: components["schemas"]["AuditActor"];
            /** @description The action, for example `tenant.updated` or `game_key.revoked`. */
            action: string;
            /** @description The id of the changed object. */
            targetId: string | null;
            /** @description The details of the action, for example `before` and `after` with the changed fields. */
            details: {
                [key: string]: unknown;
            };
            ipAddress: string | null;
            requestId: string | null;
        };
        AuditRecordPage: {
            items: components["schemas"]["AuditRecord"][];
            hasMore: boolean;
            /** @description The cursor of the next page. Absent on the last page. */
            nextCursor?: string | undefined;
        };
        AuthMethod: {
            /** Format: uuid */
            id: string;
            authProvider: components["schemas"]["AuthProvider"];
            /** @description The id of the player at the provider. */
            providerUserId: string;
            email: string | null;
            username: string | null;
            displayName: string | null;
            avatarUrl: string | null;
            isPrimary: boolean;
            /** Format: date-time */
            linkedAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
        };
        AuthMethodList: components["schemas"]["AuthMethod"][];
        /** @enum {string} */
        AuthProvider: "StoreA" | "StoreB" | "WalletJwt" | "EvmWallet" | "EmailOneTimeCode" | "EmailPassword" | "Mock";
        AvatarResult: {
            avatarUrl: string;
        };
        BanPlayerRequest: {
            /** @description The reason of the ban, in a few words. It is part of the player’s data export. */
            reason?: (string | null) | undefined;
            /** @description A note for the members of the workspace. The player does not see it. */
            note?: (string | null) | undefined;
            /**
             * Format: date-time
             * @description The end of the ban, in the future. Null or absent: until the ban is lifted.
             */
            until?: (string | null) | undefined;
        };
        ChallengeLoginRequest: {
            /** Format: uuid */
            challengeId: string;
            /** @description The wallet’s signature of the message, in hexadecimal, or the six digits from the email. */
            response: string;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
            /**
             * @description Whether to create a player who does not exist. If false, the response is 404.
             * @default true
             */
            createAccountIfMissing?: (boolean | null) | undefined;
        };
        /** @enum {string} */
        ChallengeProvider: "EvmWallet" | "EmailOneTimeCode";
        ClientInfo: {
            /** @description The platform that the game runs on. */
            platform: components["schemas"]["Platform"];
            clientVersion?: string | undefined;
            clientBuild?: string | undefined;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata?: {
                [key: string]: unknown;
            } | undefined;
        };
        CodeLoginRequest: {
            /** Format: email */
            email: string;
            /** @description The six digits from the email. */
            code: string;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
            /**
             * @description Whether to create a player who does not exist. If false, the response is 404.
             * @default true
             */
            createAccountIfMissing?: (boolean | null) | undefined;
        };
        ComponentHealth: {
            component: components["schemas"]["HealthComponent"];
            /** @description off: not configured, so not needed. */
            status: components["schemas"]["ComponentStatus"];
            /** @description One sentence about the state. */
            detail: string;
            /** @description How long the component took to answer. Null: it was not asked. */
            latencyMs: number | null;
            /**
             * Format: date-time
             * @description Since when the component fails, if that is known.
             */
            since: string | null;
        };
        /** @enum {string} */
        ComponentStatus: "ok" | "off" | "failing";
        CreateApiKeyRequest: {
            name: string;
            rateLimit?: (components["schemas"]["UpdateKeyRateLimit"] | null) | undefined;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute?: (number | null) | undefined;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt?: (string | null) | undefined;
            /** @description Whether the key can read player data. */
            allowDataApi?: (boolean | null) | undefined;
            /**
             * Format: uuid
             * @description The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.
             */
            subscriberWorkspaceId?: (string | null) | undefined;
        };
        CreateApiKeyResult: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether the key can read player data. */
            allowDataApi: boolean;
            /**
             * Format: uuid
             * @description The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.
             */
            subscriberWorkspaceId: string | null;
            /** @description The key. Only this response contains it. */
            key?: string | undefined;
        };
        CreateAssertionRequest: {
            /** @description The third party that accepts the assertion: a name that it knows, such as its URL. */
            audience: string;
            /**
             * @description Whether the response contains a refresh token for the third party. It works until the player’s session ends. If the bearer is a refresh token, the response always contains the next one.
             * @default false
             */
            includeRefreshToken?: (boolean | null) | undefined;
        };
        CreateEventDefinitionRequest: {
            /** @description Normalised before its length counts: trimmed, white space collapsed, Unicode NFC. */
            eventKey: string;
            /** @description Normalised like the key. An empty value becomes null. */
            eventValue?: (string | null) | undefined;
            /**
             * @description The kind of events that may use the definition.
             * @default match
             */
            eventScope?: (components["schemas"]["DefinitionScope"] | null) | undefined;
            /** @description Empty counts as null. */
            eventCategory?: (string | null) | undefined;
            /** @description Empty counts as null. */
            eventDescription?: (string | null) | undefined;
            /** @default true */
            isActive?: (boolean | null) | undefined;
        };
        CreateGameKeyRequest: {
            name: string;
            rateLimit?: (components["schemas"]["UpdateKeyRateLimit"] | null) | undefined;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute?: (number | null) | undefined;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt?: (string | null) | undefined;
            /** @description Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers. */
            requirePlayerToken?: (boolean | null) | undefined;
        };
        CreateGameKeyResult: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers. */
            requirePlayerToken: boolean;
            /** @description The key. Only this response contains it. */
            key?: string | undefined;
        };
        CreateMatchRequest: {
            players: components["schemas"]["MatchEntrant"][];
            mode?: (string | null) | undefined;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata?: {
                [key: string]: unknown;
            } | undefined;
        };
        CreatePlatformWebhookRequest: {
            /** @description The URL that receives events: http or https, a public address, without credentials. */
            url: string;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes?: (components["schemas"]["WebhookEventType"][] | null) | undefined;
            description?: (string | null) | undefined;
        };
        CreatePlayerNoteRequest: {
            text: string;
        };
        CreatePlayerRequest: {
            provider: components["schemas"]["TokenProvider"];
            /** @description The credential: StoreA’s web API ticket in hexadecimal digits, StoreB’s OAuth access token, the wallet’s JWT, or `mock:<username>:<password>`. */
            token: string;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
        };
        CreateTenantRequest: {
            /** @description At least one visible character, without control characters and line breaks. */
            name: string;
            /** @description Lower-case ASCII words joined by hyphens. If a new workspace or tenant has none, it is generated from the name. */
            slug?: string | undefined;
            /** @description Whether the tenant is hidden when a third party reads the profile of a player. */
            hiddenFromDiscovery?: (boolean | null) | undefined;
            settings?: components["schemas"]["UpdateTenantSettings"] | undefined;
        };
        CreateWalletPlayerRequest: {
            /** @description The name of the player, unique in the tenant and case-sensitive. It has no invisible character, and white space only as single spaces. It is not "." or "..". */
            playerId: string;
            /** @description An EVM address in lower case, in upper case, or with the checksum of EIP-55. */
            playerAddress: string;
            signInPassword: string;
        };
        CreateWalletRecordRequest: {
            /** Format: int64 */
            matchSessionId: number;
            /**
             * Format: int64
             * @description A signed 64-bit integer, as a number or as a string of digits.
             */
            score: number | bigint;
            /** @description Normalised like the keys of events. */
            key: string;
            /** @description Normalised like the values of events. */
            value: string;
            /** @description The indices of other players that the record is about. */
            otherPlayers: number[];
        };
        CreateWebhookRequest: {
            /** @description The URL that receives events: http or https, a public address, without credentials. */
            url: string;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes?: (components["schemas"]["WebhookEventType"][] | null) | undefined;
            description?: (string | null) | undefined;
            /**
             * Format: uuid
             * @description A tenant of the workspace. The webhook then receives only the events of this tenant.
             */
            tenantId?: (string | null) | undefined;
        };
        CreateWorkspaceRequest: {
            /** @description At least one visible character, without control characters and line breaks. */
            name: string;
            /** @description Lower-case ASCII words joined by hyphens. If a new workspace or tenant has none, it is generated from the name. */
            slug?: string | undefined;
        };
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether the key can read player data. */
            allowDataApi: boolean;
            /**
             * Format: uuid
             * @description The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.
             */
            subscriberWorkspaceId: string | null;
            /** @description The key. Only this response contains it. */
            key: string;
        };
        CreatedGameKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers. */
            requirePlayerToken: boolean;
            /** @description The key. Only this response contains it. */
            key: string;
        };
        CreatedMatch: {
            /** Format: uuid */
            matchSessionId: string;
            /** Format: date-time */
            startedAt: string;
            players: components["schemas"]["CreatedMatchPlayer"][];
        };
        CreatedMatchPlayer: {
            /** Format: uuid */
            matchPlayerId: string;
            /** Format: uuid */
            playerId: string;
        };
        CreatedWalletPlayer: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            playerIndex: number;
        };
        CreatedWalletRecord: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            id: number;
        };
        /** @enum {string} */
        DefinitionScope: "match" | "player" | "both";
        DeletionReceipt: {
            /** Format: uuid */
            receiptId: string;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            deletedAt: string;
            /**
             * @description The player, or the account of a platform administrator.
             * @enum {string}
             */
            deletedBy: "player" | "account";
            /** @description The number of sign-in methods that were removed. */
            removedAuthMethods: number;
            /** @description The number of sessions whose IP address was erased. */
            erasedSessions: number;
            /** @description The number of sessions whose key was destroyed. The key encrypted the IP address and the metadata in the login and logout ledgers. */
            destroyedKeys: number;
        };
        DeletionReceiptPage: {
            items: components["schemas"]["DeletionReceipt"][];
            hasMore: boolean;
            /** @description The cursor of the next page. Absent on the last page. */
            nextCursor?: string | undefined;
        };
        DeploymentHealth: {
            /** @description The version of Guildhall. */
            version: string;
            components: components["schemas"]["ComponentHealth"][];
        };
        Device: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            playerId: string;
            deviceFingerprint: string;
            platform: components["schemas"]["Platform"];
            /** @description The display name of the platform, for example "Console B5 Pro". */
            platformDisplayName: string;
            hardwareModel: string | null;
            osVersion: string | null;
            deviceName: string | null;
            isTrusted: boolean;
            isBlocked: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            loginCount: number;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the server registered the device.
             */
            createdAtGl: string;
            /**
             * Format: date-time
             * @description When the server last changed the record.
             */
            updatedAtGl: string;
            /**
             * Format: date-time
             * @description When the database stored the device.
             */
            receivedAtDb: string;
        };
        DeviceInfo: {
            /** @description A hash of hardware identifiers. It is unique within a player. */
            deviceFingerprint: string;
            hardwareModel?: string | undefined;
            osVersion?: string | undefined;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata?: {
                [key: string]: unknown;
            } | undefined;
        };
        DeviceList: components["schemas"]["Device"][];
        EmailAddressRequest: {
            /** Format: email */
            email: string;
        };
        EmailLoginChallengeRequest: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            provider: "EmailOneTimeCode";
            /** Format: email */
            subject: string;
        };
        EndWalletMatchRequest: {
            /** Format: int64 */
            matchSessionId: number;
        };
        EndWalletPartRequest: {
            /** Format: int64 */
            matchSessionId: number;
            /**
             * Format: int64
             * @description A signed 64-bit integer, as a number or as a string of digits.
             */
            score: number | bigint;
            winLoss: number;
            matchPosition: number;
        };
        EndWalletSessionRequest: {
            /** Format: int64 */
            sessionId: number;
        };
        EndedWalletMatch: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            playDataId: number;
        };
        EndedWalletPart: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            playDataId: number;
            /** Format: int64 */
            playerIndex: number;
        };
        EndedWalletSession: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
        };
        EventBatchResult: {
            /** @description The events that this request stored. They are already on disk. */
            records: components["schemas"]["RecordedEvent"][];
            /** @description Events that were not stored exactly as sent. Their definition was found by key and value instead of by ID, or they have unknown members. Each unknown member name has one warning. */
            warnings: components["schemas"]["EventWarning"][];
            /** @description The events that were rejected, each with a reason. */
            errors: components["schemas"]["EventError"][];
            /** @description Number of events that were already stored or occur more than once in the batch. */
            duplicateCount: number;
        };
        /** @enum {string} */
        EventBucket: "minute" | "hour" | "day";
        /** @description The number of events of a group in a time bucket. If `groupBy` is `eventKey`, there is no `eventDefinitionId` and no `eventValue`. If it is `time`, there is no `eventKey` either. */
        EventCount: {
            /** Format: date-time */
            bucketStart: string;
            /** Format: uuid */
            eventDefinitionId?: string | undefined;
            eventKey?: string | undefined;
            eventValue?: (string | null) | undefined;
            /** Format: int64 */
            count: number;
        };
        EventDefinition: {
            /** Format: uuid */
            id: string;
            eventKey: string;
            eventValue: string | null;
            eventScope: components["schemas"]["DefinitionScope"];
            eventCategory: string | null;
            eventDescription: string | null;
            isActive: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        EventDefinitionSettings: {
            /** @description Whether an event with an unknown key and value creates a definition. */
            autoCreate: boolean;
        };
        EventDefinitionsResult: components["schemas"]["EventDefinition"][] | {
            items: components["schemas"]["EventDefinition"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        EventError: {
            index: number;
            /** @description 400, 403, 404, 409 or 422. */
            statusCode: number;
            error: string;
            eventDefinitionId?: string | undefined;
            eventKey?: string | undefined;
            eventValue?: string | undefined;
        };
        /** @enum {string} */
        EventExportFormat: "ndjson" | "csv";
        /** @description A query of the stored events of a tenant. It may take 15 seconds. */
        EventQuery: {
            /** @description Match events or player events. */
            scope: components["schemas"]["EventScope"];
            /**
             * Format: date-time
             * @description The first time of the range. Must be earlier than `to`.
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the range, which is not included. At most 366 days after `from`, and 1500 buckets.
             */
            to: string;
            where?: components["schemas"]["EventQueryFilter"] | undefined;
            /** @description One row for each combination of these. `matchSessionId` needs the scope `match`. */
            groupBy?: components["schemas"]["EventQueryDimension"][] | undefined;
            /** @description One row for each of these spans of time, in UTC. A week begins on Monday. */
            bucket?: (components["schemas"]["EventQueryBucket"] | null) | undefined;
            /**
             * @description Whether to count the distinct players of each row.
             * @default false
             */
            countPlayers?: (boolean | null) | undefined;
            /** @default 100 */
            limit?: (number | null) | undefined;
        };
        EventQueryAnswer: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            rows: components["schemas"]["EventQueryRow"][];
            /** @description Whether there are more rows than `limit`. */
            hasMore: boolean;
        };
        /** @enum {string} */
        EventQueryBucket: "minute" | "hour" | "day" | "week" | "month";
        /** @enum {string} */
        EventQueryDimension: "eventKey" | "eventValue" | "eventCategory" | "playerId" | "matchSessionId";
        /** @description All members must match. */
        EventQueryFilter: {
            /** @description Only events with one of these keys. */
            eventKeys?: string[] | undefined;
            /** @description Only events with one of these values of their definition. */
            eventValues?: string[] | undefined;
            /** @description Only events with one of these categories. */
            eventCategories?: string[] | undefined;
            /** @description Only events with one of these players, or of their merged profiles. */
            playerIds?: string[] | undefined;
            /** Format: uuid */
            matchSessionId?: (string | null) | undefined;
            /** Format: int64 */
            minimumValue?: (number | null) | undefined;
            /** Format: int64 */
            maximumValue?: (number | null) | undefined;
        };
        EventQueryRow: {
            /** Format: date-time */
            bucketStart?: string | undefined;
            eventKey?: string | undefined;
            eventValue?: (string | null) | undefined;
            eventCategory?: (string | null) | undefined;
            /** Format: uuid */
            playerId?: string | undefined;
            /** Format: uuid */
            matchSessionId?: string | undefined;
            /**
             * Format: int64
             * @description The number of events.
             */
            events: number;
            /** @description The number of distinct players. */
            players?: number | undefined;
            /**
             * Format: int64
             * @description All digits. Some JSON parsers round it above 2^53. Null: no event has a value.
             */
            valueSum: number | bigint | null;
            valueAverage: number | null;
            /**
             * Format: int64
             * @description All digits. Some JSON parsers round it above 2^53. Null: no event has a value.
             */
            valueMinimum: number | bigint | null;
            /**
             * Format: int64
             * @description All digits. Some JSON parsers round it above 2^53. Null: no event has a value.
             */
            valueMaximum: number | bigint | null;
        };
        /** @enum {string} */
        EventScope: "match" | "player";
        EventSummary: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            bucket: components["schemas"]["EventBucket"];
            items: components["schemas"]["EventCount"][];
            /** @description Whether the newest buckets are left out as a whole, because there are more than 20,000 rows. If so, ask for a shorter range, longer buckets, or `top`. */
            hasMore: boolean;
        };
        /** @enum {string} */
        EventSummaryGroup: "definition" | "eventKey" | "time";
        EventWarning: {
            index: number;
            message: string;
        };
        /** @description With `quota_exceeded`: the units of the plan. */
        ExceededQuota: {
            /**
             * Format: int64
             * @description Units per period.
             */
            limit: number;
            /**
             * Format: int64
             * @description Used units.
             */
            used: number;
            /** Format: date-time */
            periodStart: string;
            /**
             * Format: date-time
             * @description The start of the next period.
             */
            periodEnd: string;
        };
        /** @enum {string} */
        ExistingPlayerProvider: "StoreA" | "StoreB" | "WalletJwt" | "EvmWallet" | "EmailOneTimeCode" | "Mock";
        ExportedBan: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenantId: string;
            reason: string | null;
            /**
             * Format: date-time
             * @description Null: until the ban is lifted.
             */
            until: string | null;
            /** Format: date-time */
            bannedAt: string;
            /** Format: date-time */
            liftedAt: string | null;
        };
        ExportedEmailAddress: {
            email: string;
            /** Format: date-time */
            verifiedAt: string | null;
        };
        ExportedEvent: {
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            eventRecordId: string;
            /** Format: uuid */
            eventDefinitionId: string;
            eventKey: string;
            eventValue: string | null;
            /** Format: uuid */
            matchSessionId?: string | undefined;
            /** Format: uuid */
            matchPlayerId?: string | undefined;
            /** Format: uuid */
            playerId: string;
            /** Format: uuid */
            loginSessionId: string | null;
            idempotencyKey: string;
            /**
             * Format: int64
             * @description A signed 64-bit integer. Some JSON parsers round it above 2^53.
             */
            value: number | bigint | null;
            /** Format: date-time */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description SHA-256 of the row, in hexadecimal. */
            rowHash: string;
        };
        ExportedLogin: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            sessionId: string;
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            authMethodId: string | null;
            authProvider: string;
            /** Format: uuid */
            deviceId: string | null;
            platform: components["schemas"]["Platform"];
            clientVersion: string | null;
            clientBuild: string | null;
            /** Format: date-time */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description Null if the profile was deleted, because its key was destroyed. */
            ipAddress: string | null;
            /** @description Null if the profile was deleted, because its key was destroyed. */
            metadata: {
                [key: string]: unknown;
            } | null;
        };
        ExportedLogout: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            sessionId: string;
            /** Format: uuid */
            tenantId: string;
            reason: components["schemas"]["LogoutReason"];
            message: string | null;
            /** Format: date-time */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description Null if the profile was deleted, because its key was destroyed. */
            metadata: {
                [key: string]: unknown;
            } | null;
        };
        ExportedMatch: {
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            matchSessionId: string;
            /** Format: uuid */
            matchPlayerId: string;
            mode: string | null;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            /** Format: date-time */
            joinedAt: string;
            /** Format: date-time */
            leftAt: string | null;
            placement: number | null;
            /** Format: int64 */
            score: number | null;
            outcome: string | null;
        };
        ExportedMergedProfile: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            profileVisibility: components["schemas"]["ProfileVisibility"];
        };
        ExportedPortalSession: {
            /** Format: uuid */
            sessionId: string;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
        };
        ExportedSession: {
            /** Format: uuid */
            sessionId: string;
            /** Format: uuid */
            tenantId: string;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** Format: date-time */
            endedAt: string | null;
            authProvider: string;
            /** Format: uuid */
            deviceId: string | null;
            platform: components["schemas"]["Platform"];
            clientVersion: string | null;
            lastIpAddress: string | null;
        };
        ExportedTenantPlayer: {
            /** Format: uuid */
            playerId: string;
            displayName: string | null;
            avatarUrl: string | null;
            /** @description How much of the profile others see. The tenant’s administrators see the name and avatar of all players. */
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description False after the profile was deleted. */
            isActive: boolean;
            /** @description The player’s role in the game. The default is `player`. */
            tenantRole: string;
            /** @description API keys do not find the player, and the game is not listed on their public profile. */
            hiddenFromDiscovery: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description Counts and times are of this tenant only. */
            loginCount: number;
            ban: components["schemas"]["ActivePlayerBan"] | null;
            /** @description The sign-in methods that the player has used in this tenant. Others are not shown. */
            authMethods: components["schemas"]["TenantAuthMethod"][];
            /** @description The merged profiles of the player that this tenant knew. Matches, events, sessions and audit records keep these ids. Requests for them by `playerId` include those of all profiles. */
            mergedProfileIds: string[];
        };
        ExportedThirdParty: {
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            sessionId: string;
            /** @description Who got a refresh token for the player. */
            audience: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            displayName: string | null;
            email: string | null;
        };
        FinishPortalLoginRequest: {
            /** @description The complete, unchanged URL to which StoreA redirected the browser. */
            callbackUrl: string;
        };
        ForceLogoutRequest: {
            /** @description Stored with each session in the logout ledger. */
            message?: (string | null) | undefined;
        };
        ForceLogoutResult: {
            endedSessions: number;
        };
        FoundPlayers: {
            items: components["schemas"]["FullPlayerProfile"][];
        };
        FullPlayerProfile: {
            /** Format: uuid */
            id: string;
            displayName: string | null;
            avatarUrl: string | null;
            email: string | null;
            platformRole: string;
            /** @description How much of the profile other players and studios see. */
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** Format: date-time */
            createdAt: string;
            /** @description False after the profile was deleted. */
            isActive: boolean;
            /** Format: uuid */
            mergedIntoId: string | null;
            /** @description The profiles that were merged into this one. */
            mergedProfileIds: string[];
            authMethods: components["schemas"]["AuthMethodList"];
            tenantAccess: components["schemas"]["TenantAccessList"];
        };
        GameKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. They identify it in a list. */
            prefix: string;
            rateLimit: components["schemas"]["KeyRateLimit"] | null;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute: number | null;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute: number | null;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The last time that the server accepted the key. It shows up to 30 seconds later.
             */
            lastUsedAt: string | null;
            /**
             * Format: uuid
             * @description The key that replaced this one in a rotation.
             */
            successorId: string | null;
            /** @description Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers. */
            requirePlayerToken: boolean;
        };
        GameKeyPage: {
            items: components["schemas"]["GameKey"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        /** @enum {string} */
        HealthComponent: "database" | "worker" | "mail" | "redis" | "chain";
        HealthStatus: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description A proof of identity, by a sign-in method of the profile. EmailOneTimeCode: `email`, and a `code` of `/api/player-portal-auth/email/otc`. EvmWallet: `message` and `signature` for `/api/player-portal-auth/wallet/challenge`. StoreA: as `token`, the callback URL after `/api/player-portal-auth/storea/start`. */
        IdentityProof: {
            provider: components["schemas"]["LinkableProvider"];
            /** @description The token or ticket of the provider, as at a sign-in. For StoreA with a portal token: the callback URL to which StoreA redirected the player. */
            token?: string | undefined;
            /** @description The unchanged message of the challenge. */
            message?: string | undefined;
            /** @description The wallet’s signature of the message (`personal_sign`), in hexadecimal. */
            signature?: string | undefined;
            /** Format: email */
            email?: string | undefined;
            /** @description The six digits from the email. */
            code?: string | undefined;
        };
        IdentityProofRequest: {
            proof?: components["schemas"]["IdentityProof"] | undefined;
        };
        ImportResult: {
            /** @description The sum of `created`, `updated` and `failed`. */
            totalRows: number;
            created: number;
            /** @description Rows that were applied, including rows that changed nothing. */
            updated: number;
            failed: number;
            /** @description One error per failed row, in the order of the rows. */
            errors: components["schemas"]["ImportRowError"][];
        };
        ImportRowError: {
            /** @description The row number that a spreadsheet shows. The header is usually row 1. */
            rowNumber: number;
            message: string;
            definitionId?: string | undefined;
            eventKey?: string | undefined;
            eventValue?: string | undefined;
            eventScope?: string | undefined;
            eventCategory?: string | undefined;
            eventDescription?: string | undefined;
            /** @description Absent if the cell is empty or not a boolean. */
            isActive?: boolean | undefined;
        };
        Invitation: {
            /** @description The invited email address. */
            email: string;
            role: components["schemas"]["WorkspaceRole"];
            workspaceName: string;
            /** @description The email address of the inviter. */
            invitedBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Whether the address has an account. If true, its password is needed. */
            hasAccount: boolean;
        };
        InvitationTokenRequest: {
            /** @description The token from the email. */
            token: string;
        };
        InviteMemberRequest: {
            /** Format: email */
            email: string;
            role: components["schemas"]["WorkspaceRole"];
        };
        JobQueue: {
            /** @description The name of the queue. */
            name: string;
            /** @description Jobs that may start now, at most 10,000. */
            waiting: number;
            /** @description Jobs that start later, for example the next attempt after a failure. At most 10,000. */
            delayed: number;
            /** @description Jobs that a worker runs. */
            running: number;
            /** @description Jobs of the last hour whose last attempt failed. */
            failed: number;
            /**
             * Format: date-time
             * @description Since when the first waiting job may start. Null: no job waits.
             */
            oldestWaitingAt: string | null;
            /**
             * Format: date-time
             * @description When a worker counted running and failed jobs. Null: no worker has run yet.
             */
            countedAt: string | null;
        };
        JobQueueList: {
            items: components["schemas"]["JobQueue"][];
        };
        JoinMatchRequest: {
            /** Format: uuid */
            playerId: string;
            /**
             * Format: uuid
             * @description Default: the latest session of the player in the tenant.
             */
            loginSessionId?: (string | null) | undefined;
        };
        JoinedMatch: {
            /** Format: uuid */
            matchPlayerId: string;
            /** Format: uuid */
            matchSessionId: string;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            joinedAt: string;
        };
        JsonWebKey: {
            /** @description The `kid` in the header of the tokens that the key signs. */
            kid: string;
            /** @enum {string} */
            kty: "EC";
            /** @enum {string} */
            crv: "P-256";
            x: string;
            y: string;
            /** @enum {string} */
            alg: "ES256";
            /** @enum {string} */
            use: "sig";
        };
        JsonWebKeySet: {
            keys: components["schemas"]["JsonWebKey"][];
        };
        KeyAlert: {
            /** Format: uuid */
            workspaceId: string;
            /** Format: uuid */
            tenantId: string;
            /**
             * Format: uuid
             * @description The id of the alert.
             */
            id: string;
            /** Format: uuid */
            keyId: string;
            keyKind: components["schemas"]["KeyKind"];
            /**
             * Format: int64
             * @description The requests or bytes that a key may send in a minute.
             */
            threshold: number;
            /**
             * Format: int64
             * @description The requests or bytes that the key sent in the minute.
             */
            observed: number;
            /**
             * Format: date-time
             * @description The start of the minute.
             */
            windowStart: string;
            /** Format: date-time */
            createdAt: string;
        };
        /** @enum {string} */
        KeyKind: "game" | "api";
        /** @description Null: the limits of the plan apply. */
        KeyRateLimit: {
            /** @description Requests per minute, at most the limit of the plan. Null: the limit of the plan applies. */
            perMinute: number | null;
            /** @description Requests per hour, at most the limit of the plan. Null: the limit of the plan applies. */
            perHour: number | null;
        };
        LeaveMatchRequest: {
            /** Format: uuid */
            matchPlayerId: string;
        };
        LinkAuthMethodRequest: {
            provider: components["schemas"]["LinkableProvider"];
            /** @description The token or ticket of the provider, as at a sign-in. For StoreA with a portal token: the callback URL to which StoreA redirected the player. */
            token?: string | undefined;
            /** @description The unchanged message of the challenge. */
            message?: string | undefined;
            /** @description The wallet’s signature of the message (`personal_sign`), in hexadecimal. */
            signature?: string | undefined;
            /** Format: email */
            email?: string | undefined;
            /** @description The six digits from the email. */
            code?: string | undefined;
            /** @default false */
            setAsPrimary?: (boolean | null) | undefined;
            proof?: components["schemas"]["IdentityProof"] | undefined;
        };
        /** @enum {string} */
        LinkableProvider: "StoreA" | "StoreB" | "WalletJwt" | "Mock" | "EvmWallet" | "EmailOneTimeCode";
        ListedMatch: {
            /** Format: uuid */
            matchSessionId: string;
            mode: string | null;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            /** @description Players in the roster. Players who left are included. */
            playerCount: number;
        };
        ListedMatchPage: {
            items: components["schemas"]["ListedMatch"][];
            hasMore: boolean;
            /** @description The cursor of the next page. Absent on the last page. */
            nextCursor?: string | undefined;
        };
        ListedWalletEntry: {
            /**
             * Format: int64
             * @description The position in the tenant’s chain, from 1.
             */
            index: number;
            /** Format: date-time */
            recordedAt: string;
            kind: components["schemas"]["WalletEntryKind"];
            /**
             * Format: int64
             * @description The player that the entry is about.
             */
            playerIndex: number;
            /** @description What the entry records. The members depend on `kind`. */
            body: {
                [key: string]: unknown;
            };
            salt: string;
            /** @description The canonical text of the entry. contentHash is its keccak-256. */
            canonical: string;
            /** @description 0x and 64 hexadecimal digits. */
            contentHash: string;
            /** @description 0x and 64 hexadecimal digits. */
            previousHash: string;
            /** @description The keccak-256 of the 64 bytes of previousHash and contentHash. */
            hash: string;
            /** @description 0x and 64 hexadecimal digits. */
            transactionHash: string;
            /** @description The name of the player that the entry is about. The hashes do not cover it. */
            playerId: string | null;
        };
        LoginChallenge: {
            /** Format: uuid */
            challengeId: string;
            provider: components["schemas"]["ChallengeProvider"];
            /** @description EvmWallet only: the exact text that the wallet must sign (EIP-4361). */
            message?: string | undefined;
            /** Format: date-time */
            expiresAt: string;
        };
        LoginChallengeRequest: components["schemas"]["WalletLoginChallengeRequest"] | components["schemas"]["EmailLoginChallengeRequest"];
        LoginRequest: {
            provider: components["schemas"]["TokenProvider"];
            /** @description The credential: StoreA’s web API ticket in hexadecimal digits, StoreB’s OAuth access token, the wallet’s JWT, or `mock:<username>:<password>`. */
            token: string;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
            /**
             * @description Whether to create a player who does not exist. If false, the response is 404.
             * @default true
             */
            createAccountIfMissing?: (boolean | null) | undefined;
        };
        LoginResult: {
            /** @description A JWT for `Authorization: Bearer`. */
            accessToken: string;
            /** @description An opaque token. It works once and returns the next pair. */
            refreshToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            expiresIn: number;
            /** Format: uuid */
            playerId: string;
            /** @description Whether this request created the player. */
            isNewPlayer: boolean;
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            sessionId: string;
        };
        /** @enum {string} */
        LogoutReason: "user_logout" | "timeout" | "token_expired" | "kicked" | "device_blocked" | "account_suspended" | "network_error" | "client_crash" | "app_close" | "server_shutdown" | "unknown";
        LogoutRequest: {
            /** Format: uuid */
            sessionId: string;
            /**
             * Format: uuid
             * @description Stored in the logout ledger.
             */
            deviceId?: (string | null) | undefined;
        };
        LogoutResult: {
            /** Format: uuid */
            sessionId: string;
            /** Format: date-time */
            endedAt: string;
            reason: components["schemas"]["LogoutReason"];
        };
        MailRequested: {
            /**
             * @description The same for every address.
             * @enum {string}
             */
            status: "accepted";
        };
        MarkedNotifications: {
            /** @description The number of notifications that were unread. */
            markedCount: number;
        };
        Match: {
            /** Format: uuid */
            matchSessionId: string;
            mode: string | null;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            players: components["schemas"]["MatchPlayer"][];
        };
        MatchEntrant: {
            /** Format: uuid */
            playerId: string;
            /**
             * Format: uuid
             * @description Default: the latest session of the player in the tenant.
             */
            loginSessionId?: (string | null) | undefined;
        };
        MatchEvent: {
            /** Format: uuid */
            matchSessionId: string;
            /** Format: uuid */
            matchPlayerId: string;
            /** Format: uuid */
            loginSessionId?: (string | null) | undefined;
            /** Format: uuid */
            eventDefinitionId?: (string | null) | undefined;
            /** @description Required if `eventDefinitionId` is absent. */
            eventKey?: (string | null) | undefined;
            /** @description Used together with `eventKey`. */
            eventValue?: (string | null) | undefined;
            /** @description Unique together with `occurredAt`. An event that is sent again is stored only once. */
            idempotencyKey: string;
            /**
             * Format: int64
             * @description A signed 64-bit integer, as a number or as a string of digits.
             */
            value?: number | bigint | null | undefined;
            /** Format: date-time */
            occurredAt: string;
        };
        /** @description The events, or an object with the member `events`. */
        MatchEventBatchRequest: {
            events: components["schemas"]["MatchEvent"][];
        } | components["schemas"]["MatchEvent"][];
        MatchPlayer: {
            /** Format: uuid */
            matchPlayerId: string;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            joinedAt: string;
            /** Format: date-time */
            leftAt: string | null;
            placement: number | null;
            /** Format: int64 */
            score: number | null;
            outcome: string | null;
        };
        MatchPlayerResult: {
            /** Format: uuid */
            matchPlayerId: string;
            placement?: (number | null) | undefined;
            /** Format: int64 */
            score?: (number | null) | undefined;
            outcome?: (string | null) | undefined;
        };
        MatchResults: {
            /** Format: uuid */
            matchSessionId: string;
            results: components["schemas"]["MatchPlayer"][];
        };
        MatchResultsRequest: {
            results: components["schemas"]["MatchPlayerResult"][];
        };
        MatchSession: {
            /** Format: uuid */
            matchSessionId: string;
            mode: string | null;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
        };
        /** @enum {string} */
        MatchState: "running" | "ended";
        Member: {
            /**
             * Format: uuid
             * @description The account of the member. Null for an invitation.
             */
            userId: string | null;
            /**
             * Format: uuid
             * @description Null for a member.
             */
            invitationId: string | null;
            email: string;
            displayName: string | null;
            role: components["schemas"]["WorkspaceRole"];
            /** @description `active`: a member. `invited`: the invitation is open. `expired`: it was not accepted within 7 days. */
            status: components["schemas"]["MemberStatus"];
            /**
             * Format: date-time
             * @description When the person joined, or was last invited.
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description The account that sent the invitation. Null for a member.
             */
            invitedBy: string | null;
            /**
             * Format: date-time
             * @description When the invitation expires. Null for a member.
             */
            expiresAt: string | null;
        };
        MemberOfWorkspace: {
            /** Format: uuid */
            accountId: string;
            email: string;
            role: components["schemas"]["WorkspaceRole"];
        };
        MemberPage: {
            items: components["schemas"]["Member"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        /** @enum {string} */
        MemberStatus: "active" | "invited" | "expired";
        Membership: {
            /** Format: uuid */
            workspaceId: string;
            workspaceName: string;
            workspaceSlug: string;
            role: components["schemas"]["WorkspaceRole"];
        };
        MergeProfileRequest: {
            /** Format: uuid */
            sourceProfileId: string;
            sourceProvider?: (components["schemas"]["TokenProvider"] | null) | undefined;
            /** @description The token or ticket of the provider, as at a sign-in. For StoreA with a portal token: the callback URL to which StoreA redirected the player. */
            sourceAuthToken?: string | undefined;
            proof?: components["schemas"]["IdentityProof"] | undefined;
            sourceProof?: components["schemas"]["IdentityProof"] | undefined;
        };
        Notification: {
            /** Format: uuid */
            id: string;
            /** @description The machine-readable type, such as `alert.rate_spike`. */
            type: string;
            title: string;
            text: string;
            /** @description Machine-readable details. The members depend on the type. */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description Null if the notification concerns the deployment.
             */
            workspaceId: string | null;
            /**
             * Format: uuid
             * @description Null if the notification does not concern one tenant.
             */
            tenantId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            readAt: string | null;
        };
        NotificationPage: {
            items: components["schemas"]["Notification"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
            /** @description The number of unread notifications across all pages. */
            unreadCount: number;
        };
        OutboxMail: {
            /** Format: uuid */
            id: string;
            to: string;
            subject: string;
            /** @description Null after the email was delivered or has failed. */
            text: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the mail server accepted the email.
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @description When the delivery failed finally.
             */
            failedAt: string | null;
            /** @description The reason of the last failure, such as the reply of the mail server. */
            failure: string | null;
        };
        OutboxMailPage: {
            items: components["schemas"]["OutboxMail"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        OwnAccount: {
            user: components["schemas"]["User"];
            memberships: components["schemas"]["Membership"][];
        };
        PaidKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key. */
            prefix: string;
            /** Format: uuid */
            tenantId: string;
            tenantName: string;
            /**
             * Format: uuid
             * @description The workspace that owns the key.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description The account that agreed to pay.
             */
            agreedBy: string;
            /** Format: date-time */
            agreedAt: string;
            /** Format: date-time */
            expiresAt: string | null;
        };
        PaidKeyPage: {
            items: components["schemas"]["PaidKey"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        PasswordResetRequested: {
            /**
             * @description The same for every address.
             * @enum {string}
             */
            status: "accepted";
        };
        PasswordUpdated: {
            /** @description The number of other sessions that ended. */
            endedSessions: number;
        };
        PayloadSpikeEvent: {
            /** @enum {string} */
            type: "alert.payload_spike";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["KeyAlert"];
        };
        /** @description The limits of the workspace. The rate limit applies to each key that has no rate limit of its own. */
        Plan: {
            name: string;
            /**
             * Format: int64
             * @description Units per billing period. Null: unlimited.
             */
            monthlyUnits: number | null;
            /** @description Whether requests are refused after the last unit is used. */
            hardStop: boolean;
            /** @description Match events per request. */
            maxMatchEventRecordsPerRequest: number;
            /** @description Player events per request. */
            maxPlayerEventRecordsPerRequest: number;
            rateLimit: components["schemas"]["PlanRateLimit"];
        };
        PlanRateLimit: {
            /** @description Requests per minute. */
            perMinute: number;
            /** @description Requests per hour. */
            perHour: number;
        };
        /** @enum {string} */
        Platform: "HandheldConsoleA" | "HandheldConsoleALite" | "HandheldConsoleAOLED" | "ConsoleB4" | "ConsoleB4Pro" | "ConsoleB5" | "ConsoleB5Pro" | "ConsoleBVR" | "ConsoleBVR2" | "ConsoleCOne" | "ConsoleCOneS" | "ConsoleCOneX" | "ConsoleCSeriesS" | "ConsoleCSeriesX" | "PC_Windows" | "PC_Mac" | "PC_Linux" | "PC_HandheldPC" | "Mobile_iOS" | "Mobile_Android" | "VRHeadsetD2" | "VRHeadsetD3" | "VRHeadsetDPro" | "VRHeadsetE" | "VRHeadsetF" | "Cloud_ServiceA" | "Cloud_ServiceB" | "Cloud_ServiceC" | "Other" | "Unknown";
        PlayerBan: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            playerId: string;
            reason: string | null;
            note: string | null;
            /**
             * Format: date-time
             * @description Null: until the ban is lifted.
             */
            until: string | null;
            /**
             * Format: uuid
             * @description The account that created the ban.
             */
            bannedBy: string;
            /** @description The email address of that account. Null if it has left the workspace. */
            bannedByEmail: string | null;
            /** Format: date-time */
            bannedAt: string;
            /**
             * Format: uuid
             * @description The account that lifted or replaced the ban.
             */
            liftedBy: string | null;
            /** @description The email address of that account. Null if it has left the workspace. */
            liftedByEmail: string | null;
            /** Format: date-time */
            liftedAt: string | null;
        };
        PlayerBanPage: {
            items: components["schemas"]["PlayerBan"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        PlayerDataExport: {
            /** Format: date-time */
            exportedAt: string;
            profile: components["schemas"]["FullPlayerProfile"];
            mergedProfiles: components["schemas"]["ExportedMergedProfile"][];
            emailAddresses: components["schemas"]["ExportedEmailAddress"][];
            devices: components["schemas"]["Device"][];
            portalSessions: components["schemas"]["ExportedPortalSession"][];
            thirdParties: components["schemas"]["ExportedThirdParty"][];
            bans: components["schemas"]["ExportedBan"][];
            sessions: components["schemas"]["ExportedSession"][];
            logins: components["schemas"]["ExportedLogin"][];
            logouts: components["schemas"]["ExportedLogout"][];
            matches: components["schemas"]["ExportedMatch"][];
            matchEvents: components["schemas"]["ExportedEvent"][];
            playerEvents: components["schemas"]["ExportedEvent"][];
        };
        PlayerDeletedEvent: {
            /** @enum {string} */
            type: "player.deleted";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["PlayerDeletion"];
        };
        PlayerDeletion: {
            /** Format: uuid */
            workspaceId: string;
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            deletedAt: string;
        };
        PlayerEvent: {
            /** Format: uuid */
            playerId: string;
            /** Format: uuid */
            loginSessionId?: (string | null) | undefined;
            /** Format: uuid */
            eventDefinitionId?: (string | null) | undefined;
            /** @description Required if `eventDefinitionId` is absent. */
            eventKey?: (string | null) | undefined;
            /** @description Used together with `eventKey`. */
            eventValue?: (string | null) | undefined;
            /** @description Unique together with `occurredAt`. An event that is sent again is stored only once. */
            idempotencyKey: string;
            /**
             * Format: int64
             * @description A signed 64-bit integer, as a number or as a string of digits.
             */
            value?: number | bigint | null | undefined;
            /** Format: date-time */
            occurredAt: string;
        };
        /** @description The events, or an object with the member `events`. */
        PlayerEventBatchRequest: {
            events: components["schemas"]["PlayerEvent"][];
        } | components["schemas"]["PlayerEvent"][];
        PlayerExistsRequest: {
            provider: components["schemas"]["ExistingPlayerProvider"];
            /** @description The user id at the provider. WalletJwt: the `sub` of the tenant’s issuer. EvmWallet: the address or `eip155:<chain id>:<address>`. EmailOneTimeCode: the email address. Mock: the username. */
            providerUserId: string;
        };
        PlayerExistsResult: {
            /** Format: uuid */
            playerId: string;
        };
        PlayerMerge: {
            /** Format: uuid */
            workspaceId: string;
            /** Format: uuid */
            tenantId: string;
            /**
             * Format: uuid
             * @description The profile that remains.
             */
            playerId: string;
            /**
             * Format: uuid
             * @description The profile that the tenant knew before.
             */
            mergedPlayerId: string;
            /** Format: date-time */
            mergedAt: string;
        };
        PlayerMergedEvent: {
            /** @enum {string} */
            type: "player.merged";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["PlayerMerge"];
        };
        PlayerNote: {
            /** Format: uuid */
            id: string;
            text: string;
            author: components["schemas"]["PlayerNoteAuthor"];
            /** Format: date-time */
            createdAt: string;
        };
        PlayerNoteAuthor: {
            /** Format: uuid */
            id: string;
            /** @description Null: the author has left the workspace. */
            email: string | null;
        };
        PlayerNoteList: {
            items: components["schemas"]["PlayerNote"][];
        };
        PlayerPasswordLoginRequest: {
            /** Format: email */
            email: string;
            password: string;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
        };
        /** @description A private profile has only the members `id` and `profileVisibility`. */
        PlayerProfile: {
            /** Format: uuid */
            id: string;
            displayName?: (string | null) | undefined;
            avatarUrl?: (string | null) | undefined;
            profileVisibility: components["schemas"]["ProfileVisibility"];
        };
        PlayerProfileWithAccess: {
            /** Format: uuid */
            id: string;
            displayName: string | null;
            avatarUrl: string | null;
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description The player’s access record in the key’s tenant. Records of other tenants are not shown. */
            tenantAccess: components["schemas"]["TenantAccess"][];
        };
        PlayerSignUpRequest: {
            /** Format: email */
            email: string;
            password: string;
            /** @description At least one visible character, without control characters and line breaks. */
            displayName?: string | undefined;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
        };
        /** @enum {string} */
        PlayerSort: "lastSeenAt" | "firstSeenAt" | "displayName" | "-lastSeenAt" | "-firstSeenAt" | "-displayName";
        PortalCodeLoginRequest: {
            /** Format: email */
            email: string;
            /** @description The six digits from the email. */
            code: string;
        };
        PortalSessionRequest: {
            refreshToken: string;
        };
        PortalTokens: {
            /** @description A JWT for `Authorization: Bearer`. */
            accessToken: string;
            /** @description An opaque token. It works once and returns the next pair. */
            refreshToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            expiresIn: number;
            /** Format: uuid */
            playerId: string;
        };
        Problem: {
            /** @description The error code as a URN. */
            type: string;
            title: string;
            status: number;
            /** @description What is wrong with this request, and what to do. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description A stable, machine-readable error code. */
            code: string;
            /** @description The id of the request. Quote it when you report the problem. X-Request-Id has the same value. */
            requestId: string;
            errors?: components["schemas"]["ProblemItem"][] | undefined;
            ban?: components["schemas"]["SignInBan"] | undefined;
            quota?: components["schemas"]["ExceededQuota"] | undefined;
        } & {
            [key: string]: unknown;
        };
        /** @description An invalid field has `path` and `message`. A rejected item has `index`, `statusCode` and `error`. */
        ProblemItem: {
            /** @description The member or parameter, such as `players.0.playerId`. */
            path?: string | undefined;
            message?: string | undefined;
            /** @description The position of a rejected item in the request, from 0. */
            index?: number | undefined;
            /**
             * Format: uuid
             * @description With a match that was not created.
             */
            playerId?: string | undefined;
            /**
             * Format: uuid
             * @description With results that were not written.
             */
            matchPlayerId?: string | undefined;
            /** @description The status of the rejected item. */
            statusCode?: number | undefined;
            /** @description Why the item was rejected. */
            error?: string | undefined;
        } & {
            [key: string]: unknown;
        };
        ProfileLookupRequest: {
            /** @description At most 100 ids. Repeated ids count once. The all-zero id is ignored. */
            playerIds: string[];
        };
        ProfileLookupResult: {
            /** @description One item for each id that is not in `notFound`, in the order of `playerIds`. */
            items: components["schemas"]["PlayerProfileWithAccess"][];
            /** @description Ids of unknown, private and hidden players, in the order of `playerIds`. The reason is not given. */
            notFound: string[];
            /** @description The number of ids in the request. */
            requestedCount: number;
            /** @description The number of distinct ids without the all-zero id: `items` and `notFound` together. */
            processedCount: number;
            /** @description The number of `items`. */
            returnedCount: number;
        };
        /** @enum {string} */
        ProfileVisibility: "private" | "limited" | "full";
        Provider: {
            provider: components["schemas"]["AuthProvider"];
            enabled: boolean;
            /** @description Whether all required settings have a value. */
            isConfigured: boolean;
            settings: components["schemas"]["ProviderSettings"];
            /** Format: date-time */
            updatedAt: string | null;
        };
        ProviderList: {
            items: components["schemas"]["Provider"][];
        };
        /** @description The settings of this provider. Secrets are not shown. */
        ProviderSettings: {
            /** @description StoreA: the application id at the store. */
            appId?: string | undefined;
            /** @description StoreA: the identity that the game passes when it requests a ticket. */
            identity?: string | undefined;
            /** @description StoreB: the OAuth client id that tokens are issued to. */
            clientId?: string | undefined;
            /** @description WalletJwt: the issuer of the tokens, an https URL. The signing keys are found by OpenID discovery. */
            issuer?: string | undefined;
            /** @description WalletJwt: the expected audience of the tokens, or an array of 1 to 10 audiences. A token needs one of them. */
            audience?: (string[] | string) | undefined;
            /** @description WalletJwt: the claim that contains the wallet address. Default: `wallet_address`. If a token has no such claim, `sub` is used. */
            addressClaim?: string | undefined;
            /** @description EvmWallet: the accepted chains. Without it, all chains are accepted. */
            chainIds?: number[] | undefined;
            /** @description StoreA: whether a web API key is stored. */
            hasWebApiKey?: boolean | undefined;
        };
        PublicGame: {
            /** Format: uuid */
            gameId: string;
            gameName: string | null;
            gameSlug: string | null;
            /** Format: date-time */
            lastPlayedAt: string;
            loginCount: number;
        };
        PublicPlayerProfile: {
            /** Format: uuid */
            id: string;
            displayName: string | null;
            avatarUrl: string | null;
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description At most 200 games, the last played first. Empty unless `profileVisibility` is `full`. */
            games: components["schemas"]["PublicGame"][];
        };
        RateSpikeEvent: {
            /** @enum {string} */
            type: "alert.rate_spike";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["KeyAlert"];
        };
        /** @description The current password or a code of the authenticator app. */
        ReauthenticationRequest: {
            password?: string | undefined;
            /** @description The 6-digit code of the authenticator app. */
            code?: string | undefined;
        };
        RecentSession: {
            /** Format: uuid */
            tenantId: string;
            platform: components["schemas"]["Platform"];
            /** @description The display name of the platform, for example "Console B5 Pro". */
            platformDisplayName: string;
            clientVersion: string | null;
            /** Format: date-time */
            loginAt: string;
        };
        RecordedEvent: {
            /** @description The position of the event in the request, from 0. */
            index: number;
            /** Format: uuid */
            eventRecordId: string;
            /** Format: uuid */
            eventDefinitionId: string;
            /** Format: uuid */
            matchPlayerId?: string | undefined;
            /** Format: uuid */
            matchSessionId?: string | undefined;
            /** Format: uuid */
            playerId?: string | undefined;
        };
        RecoveryCodes: {
            /** @description Each code works once. Save them: they are not shown again. */
            recoveryCodes: string[];
        };
        RefreshRequest: {
            refreshToken: string;
        };
        RejectedEventBatch: {
            /** @description The error code as a URN. */
            type: string;
            title: string;
            status: number;
            /** @description What is wrong with this request, and what to do. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description A stable, machine-readable error code. */
            code: string;
            /** @description The id of the request. Quote it when you report the problem. X-Request-Id has the same value. */
            requestId: string;
            /** @description The events that were rejected, each with a reason. */
            errors: components["schemas"]["EventError"][];
            /** @description The events that this request stored. They are already on disk. */
            records: components["schemas"]["RecordedEvent"][];
            /** @description Events that were not stored exactly as sent. Their definition was found by key and value instead of by ID, or they have unknown members. Each unknown member name has one warning. */
            warnings: components["schemas"]["EventWarning"][];
            /** @description Number of events that were already stored or occur more than once in the batch. */
            duplicateCount: number;
        };
        RejectedEventGroup: {
            /**
             * Format: uuid
             * @description The id of the group, which is the same on each day.
             */
            id: string;
            scope: components["schemas"]["EventScope"];
            /** @description The `statusCode` of the events: 400, 403, 404, 409 or 422. */
            statusCode: number;
            /** @description The `error` of the events: what is wrong, and what to do. */
            error: string;
            /** @description The key of the events, cut to 32 characters. Null if they have none, or if the tenant had more than 100 groups on a day. */
            eventKey: string | null;
            /** @description The value of the events, if their definition is the reason. */
            eventValue: string | null;
            /**
             * Format: uuid
             * @description The id that the events named, if their definition is the reason.
             */
            eventDefinitionId: string | null;
            /** @description The number of refused events. Each attempt to send an event counts. */
            count: number;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description The `idempotencyKey` of the last event, cut to 64 characters. */
            lastIdempotencyKey: string | null;
            /**
             * Format: uuid
             * @description The id of the game key that sent the last event.
             */
            lastKeyId: string;
        };
        RejectedEventList: {
            items: components["schemas"]["RejectedEventGroup"][];
        };
        RequestedTenantPlayer: {
            /** Format: uuid */
            playerId: string;
            displayName: string | null;
            avatarUrl: string | null;
            /** @description How much of the profile others see. The tenant’s administrators see the name and avatar of all players. */
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description False after the profile was deleted. */
            isActive: boolean;
            /** @description The player’s role in the game. The default is `player`. */
            tenantRole: string;
            /** @description API keys do not find the player, and the game is not listed on their public profile. */
            hiddenFromDiscovery: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description Counts and times are of this tenant only. */
            loginCount: number;
            ban: components["schemas"]["ActivePlayerBan"] | null;
            /** @description The sign-in methods that the player has used in this tenant. Others are not shown. */
            authMethods: components["schemas"]["TenantAuthMethod"][];
            /**
             * Format: uuid
             * @description The id in the request. It differs from `playerId` if that profile was merged.
             */
            requestedId: string;
        };
        ResetAccountPasswordRequest: {
            /** @description The token from the email. */
            token: string;
            newPassword: string;
        };
        ResetPlayerPasswordRequest: {
            /** @description The token from the email. */
            token: string;
            newPassword: string;
        };
        RotateKeyRequest: {
            /** @description How long the old key still works, in seconds: at most 30 days, by default 1 day. Send 0 if the key leaked. */
            gracePeriodSeconds?: (number | null) | undefined;
        };
        RotateSigningKeysRequest: {
            /**
             * @description How long the new key is published before it signs, so that services that verify tokens know it. At most 7 days. Ignored with `revokeOld`.
             * @default 600
             */
            activateInSeconds?: (number | null) | undefined;
            /**
             * @description After a leak: the new key signs at once, and all access tokens in use are refused, including that of the caller.
             * @default false
             */
            revokeOld?: (boolean | null) | undefined;
        };
        RotateWebhookSecretRequest: {
            /** @description How long deliveries also have a signature by the old secret: at most 7 days, by default 1 day. Use 0 if the old secret leaked: it ends all earlier secrets. */
            overlapSeconds?: (number | null) | undefined;
        };
        RotateWebhookSecretResult: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null for a webhook of the deployment.
             */
            workspaceId: string | null;
            /**
             * Format: uuid
             * @description Only events of this tenant. Null: all tenants.
             */
            tenantId: string | null;
            /** @description The URL that receives events. A viewer gets only its origin, because path and query may contain a token. */
            url: string;
            description: string | null;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes: components["schemas"]["WebhookEventType"][] | null;
            /** @description Whether the webhook receives deliveries. */
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /** @description `by_hand`: a user disabled it. `gone`: the endpoint returned 410. `failing`: all deliveries failed for five days. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description The first failure after the last success, or after two days without a failure.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When the last earlier secret stops signing. Until then, deliveries have several signatures.
             */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The secret that signs deliveries. It is not shown again. */
            secret?: string | undefined;
        };
        /** @description Send either `code` or `recoveryCode`. */
        SecondFactorRequest: {
            mfaToken: string;
            /** @description The 6-digit code of the authenticator app. */
            code?: string | undefined;
            recoveryCode?: string | undefined;
        };
        SecondFactorRequired: {
            /** @description Send it with a code to `/api/saas-auth/totp/verify`. It has no other use. */
            mfaToken: string;
            /** @description Seconds until the mfaToken expires. */
            expiresIn: number;
        };
        SentCode: {
            /** Format: date-time */
            expiresAt: string;
            /** @description Seconds until a new code can be requested. */
            resendAfterSeconds: number;
        };
        SessionAnalytics: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** Format: int64 */
            totalLogins: number;
            /** Format: int64 */
            totalLogouts: number;
            uniquePlatforms: number;
            /** @description Distinct players, exact over any range. */
            uniquePlayers: number;
            loginsByPlatform: {
                [key: string]: number;
            };
            /** @description The keys are the provider names of the session ledger, such as `store_a`, `email` or `evm_wallet`. */
            loginsByProvider: {
                [key: string]: number;
            };
        };
        SessionHistory: {
            sessions: components["schemas"]["SessionHistoryEntry"][];
            /** @description The total number of logins across all pages. */
            totalCount: number;
            pageSize: number;
            hasMore: boolean;
            /**
             * Format: date-time
             * @description The cursor of the next, older page. Null on the last page.
             */
            nextCursorTimestamp: string | null;
            /** Format: uuid */
            nextCursorId: string | null;
        };
        SessionHistoryEntry: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            sessionId: string;
            /** Format: uuid */
            tenantId: string;
            authProvider: string;
            platform: components["schemas"]["Platform"];
            /** @description The display name of the platform, for example "Console B5 Pro". */
            platformDisplayName: string;
            /** Format: uuid */
            deviceId: string | null;
            clientVersion: string | null;
            clientBuild: string | null;
            ipAddress: string | null;
            /** Format: date-time */
            occurredAt: string;
        };
        SessionSummary: {
            totalLogins: number;
            /** @description The number of distinct tenants. */
            totalGamesPlayed: number;
            platformsUsed: components["schemas"]["Platform"][];
            /** Format: date-time */
            firstLoginAt: string | null;
            /** Format: date-time */
            lastLoginAt: string | null;
            /** @description The ten latest logins. */
            recentSessions: components["schemas"]["RecentSession"][];
        };
        SessionTimeline: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            bucket: components["schemas"]["TimelineBucket"];
            /** @description Oldest first. Buckets without logins are included. */
            items: components["schemas"]["SessionTimelineBucket"][];
        };
        SessionTimelineBucket: {
            /** Format: date-time */
            bucketStart: string;
            /** Format: int64 */
            logins: number;
            /** @description Distinct players of this bucket. */
            uniquePlayers: number;
        };
        SetPrimaryAuthMethodRequest: {
            proof?: components["schemas"]["IdentityProof"] | undefined;
        };
        SetWalletScoreRequest: {
            /**
             * Format: int64
             * @description A signed 64-bit integer, as a number or as a string of digits.
             */
            newScore: number | bigint;
        };
        /** @description The ban, for `player_banned` at a sign-in. If the ban has no end, `until` is null. `reason` and `until` are null if the ban ended in the meantime. */
        SignInBan: {
            reason: string | null;
            /** Format: date-time */
            until: string | null;
        };
        SigningKey: {
            /** Format: uuid */
            kid: string;
            /** @description waiting: signs later. signing: signs now. verifying: its tokens are still accepted. */
            state: components["schemas"]["SigningKeyState"];
            /** Format: date-time */
            activeFrom: string;
            /**
             * Format: date-time
             * @description When its tokens are refused. Null: the key has no successor.
             */
            retiresAt: string | null;
        };
        SigningKeyList: {
            items: components["schemas"]["SigningKey"][];
        };
        SigningKeyRotation: {
            /** Format: uuid */
            kid: string;
            /** Format: date-time */
            activeFrom: string;
            /**
             * Format: date-time
             * @description When the tokens of the old keys are refused.
             */
            oldRetireAt: string;
        };
        /** @enum {string} */
        SigningKeyState: "waiting" | "signing" | "verifying";
        StartWalletMatchRequest: {
            level: string;
        };
        StartWalletSessionRequest: {
            /** @description The device that the game runs on. It stays in the ledger permanently, so it must contain no personal data. */
            device: string;
            /**
             * Format: int64
             * @description When the session started, in seconds since 1970-01-01T00:00:00Z.
             */
            startTime: number;
        };
        /** @description Selects the deliveries that match all members. At least one member is required. */
        StartWebhookRedeliveryRequest: {
            /** @description Only these deliveries. */
            deliveryIds?: string[] | undefined;
            /** @description Only deliveries with this status. */
            status?: (components["schemas"]["WebhookDeliveryStatus"] | null) | undefined;
            /** @description Only deliveries of this type. */
            eventType?: (components["schemas"]["WebhookDeliveryType"] | null) | undefined;
            /**
             * Format: date-time
             * @description Only deliveries created at or after this time. Must be earlier than `to`.
             */
            from?: (string | null) | undefined;
            /**
             * Format: date-time
             * @description Only deliveries created before this time.
             */
            to?: (string | null) | undefined;
        };
        StartedPortalLogin: {
            /** @description The URL at which the browser signs in to StoreA. */
            authUrl: string;
            /** Format: date-time */
            expiresAt: string;
        };
        StartedWalletMatch: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            matchSessionId: number;
        };
        StartedWalletSession: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            sessionId: number;
        };
        StoredEvent: {
            /** Format: uuid */
            eventRecordId: string;
            /** Format: uuid */
            eventDefinitionId: string;
            eventKey: string;
            eventValue: string | null;
            /** Format: uuid */
            matchSessionId?: string | undefined;
            /** Format: uuid */
            matchPlayerId?: string | undefined;
            /** Format: uuid */
            playerId: string;
            /** Format: uuid */
            loginSessionId: string | null;
            idempotencyKey: string;
            /**
             * Format: int64
             * @description A signed 64-bit integer. Some JSON parsers round it above 2^53.
             */
            value: number | bigint | null;
            /** Format: date-time */
            occurredAt: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description SHA-256 of the row, in hexadecimal. */
            rowHash: string;
        };
        StoredEventPage: {
            items: components["schemas"]["StoredEvent"][];
            hasMore: boolean;
            /** @description The cursor of the next page. Absent on the last page. */
            nextCursor?: string | undefined;
        };
        Tenant: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspaceId: string;
            name: string;
            /** @description Unique within the workspace. */
            slug: string;
            hiddenFromDiscovery: boolean;
            /** @description If false, the keys of the tenant do not work. */
            isActive: boolean;
            /** @description Whether this is the demo tenant that the first start creates. */
            isDemo: boolean;
            settings: components["schemas"]["TenantSettings"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            disabledAt: string | null;
        };
        TenantAccess: {
            /** Format: uuid */
            tenantId: string;
            tenantRole: string;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            loginCount: number;
        };
        TenantAccessList: components["schemas"]["TenantAccess"][];
        TenantAuthMethod: {
            /** Format: uuid */
            id: string;
            authProvider: components["schemas"]["AuthProvider"];
            providerUserId: string;
            email: string | null;
            username: string | null;
            /**
             * Format: date-time
             * @description The first use in this tenant.
             */
            firstUsedAt: string;
        };
        TenantMatch: {
            /** Format: uuid */
            matchSessionId: string;
            mode: string | null;
            /** @description Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            players: components["schemas"]["TenantMatchPlayer"][];
        };
        TenantMatchPlayer: {
            /** Format: uuid */
            matchPlayerId: string;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            joinedAt: string;
            /** Format: date-time */
            leftAt: string | null;
            placement: number | null;
            /** Format: int64 */
            score: number | null;
            outcome: string | null;
            /**
             * Format: uuid
             * @description Only members of the workspace see it.
             */
            loginSessionId?: (string | null) | undefined;
        };
        TenantOfWorkspace: {
            /** Format: uuid */
            tenantId: string;
            name: string;
            slug: string;
            /** Format: date-time */
            disabledAt: string | null;
        };
        TenantPage: {
            items: components["schemas"]["Tenant"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        TenantPlayer: {
            /** Format: uuid */
            playerId: string;
            displayName: string | null;
            avatarUrl: string | null;
            /** @description How much of the profile others see. The tenant’s administrators see the name and avatar of all players. */
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description False after the profile was deleted. */
            isActive: boolean;
            /** @description The player’s role in the game. The default is `player`. */
            tenantRole: string;
            /** @description API keys do not find the player, and the game is not listed on their public profile. */
            hiddenFromDiscovery: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description Counts and times are of this tenant only. */
            loginCount: number;
            ban: components["schemas"]["ActivePlayerBan"] | null;
            /** @description The sign-in methods that the player has used in this tenant. Others are not shown. */
            authMethods: components["schemas"]["TenantAuthMethod"][];
        };
        TenantPlayerCounts: {
            sessions: number;
            /** @description Sessions that have not ended. */
            openSessions: number;
            devices: number;
            /** @description Active, expired and lifted bans. */
            bans: number;
        };
        TenantPlayerDataExport: {
            /** Format: date-time */
            exportedAt: string;
            /** Format: uuid */
            tenantId: string;
            player: components["schemas"]["ExportedTenantPlayer"];
            devices: components["schemas"]["TenantPlayerDevice"][];
            thirdParties: components["schemas"]["TenantThirdParty"][];
            bans: components["schemas"]["ExportedBan"][];
            sessions: components["schemas"]["ExportedSession"][];
            logins: components["schemas"]["ExportedLogin"][];
            logouts: components["schemas"]["ExportedLogout"][];
            matches: components["schemas"]["ExportedMatch"][];
            matchEvents: components["schemas"]["ExportedEvent"][];
            playerEvents: components["schemas"]["ExportedEvent"][];
        };
        TenantPlayerDetail: {
            /** Format: uuid */
            playerId: string;
            displayName: string | null;
            avatarUrl: string | null;
            /** @description How much of the profile others see. The tenant’s administrators see the name and avatar of all players. */
            profileVisibility: components["schemas"]["ProfileVisibility"];
            /** @description False after the profile was deleted. */
            isActive: boolean;
            /** @description The player’s role in the game. The default is `player`. */
            tenantRole: string;
            /** @description API keys do not find the player, and the game is not listed on their public profile. */
            hiddenFromDiscovery: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description Counts and times are of this tenant only. */
            loginCount: number;
            ban: components["schemas"]["ActivePlayerBan"] | null;
            /** @description The sign-in methods that the player has used in this tenant. Others are not shown. */
            authMethods: components["schemas"]["TenantAuthMethod"][];
            /** @description The merged profiles of the player that this tenant knew. Matches, events, sessions and audit records keep these ids. Requests for them by `playerId` include those of all profiles. */
            mergedProfileIds: string[];
            counts: components["schemas"]["TenantPlayerCounts"];
        };
        TenantPlayerDevice: {
            /** Format: uuid */
            id: string;
            deviceFingerprint: string;
            platform: components["schemas"]["Platform"];
            /** @description The display name of the platform, for example "Console B5 Pro". */
            platformDisplayName: string;
            hardwareModel: string | null;
            osVersion: string | null;
            /** @description Whether the player has blocked the device. Logins from it are refused. */
            isBlocked: boolean;
            /**
             * Format: date-time
             * @description Times and counts are of this tenant only.
             */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            loginCount: number;
        };
        TenantPlayerDevicePage: {
            items: components["schemas"]["TenantPlayerDevice"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        TenantPlayerPage: {
            items: components["schemas"]["TenantPlayer"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        TenantPlayerSession: {
            /** Format: uuid */
            sessionId: string;
            /** @description Whether the session has not ended. It may have expired: for matches, a session is valid for 2 hours after its sign-in. */
            isActive: boolean;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** Format: date-time */
            endedAt: string | null;
            endReason: components["schemas"]["LogoutReason"] | null;
            authProvider: string;
            platform: components["schemas"]["Platform"];
            /** @description The display name of the platform, for example "Console B5 Pro". */
            platformDisplayName: string;
            /** Format: uuid */
            deviceId: string | null;
            clientVersion: string | null;
            ipAddress: string | null;
        };
        TenantPlayerSessionPage: {
            items: components["schemas"]["TenantPlayerSession"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        TenantPlayersRequest: {
            /** @description Repeated ids count once. */
            playerIds: string[];
        };
        TenantPlayersResult: {
            /** @description One item for each id that is not in `notFound`, in the order of `playerIds`. */
            items: components["schemas"]["RequestedTenantPlayer"][];
            /** @description Ids that are not players of the tenant. */
            notFound: string[];
        };
        TenantSettings: {
            /** @description Whether an event with an unknown event key creates its event definition. */
            autoCreateDefinitions: boolean;
        };
        TenantThirdParty: {
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            sessionId: string;
            /** @description Who got a refresh token for the player. */
            audience: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            revokedAt: string | null;
        };
        TenantWalletTransaction: {
            /** @description 0x and 64 hexadecimal digits. If the transaction was signed again, the hash that the chain has accepted. */
            transactionHash: string;
            recorder: components["schemas"]["WalletRecorder"];
            entries: components["schemas"]["ListedWalletEntry"][];
            chain?: components["schemas"]["WalletChainStatus"] | undefined;
        };
        /** @enum {string} */
        TimelineBucket: "minute" | "hour" | "day";
        /** @enum {string} */
        TokenProvider: "StoreA" | "StoreB" | "WalletJwt" | "Mock";
        TotpCodeRequest: {
            /** @description The 6-digit code of the authenticator app. */
            code: string;
        };
        TotpEnrollment: {
            /** @description The secret in Base32, to type into an app that cannot scan a QR code. */
            secret: string;
            /** @description The URI to show as a QR code. */
            otpauthUri: string;
        };
        UpdateAccountPasswordRequest: {
            currentPassword: string;
            newPassword: string;
        };
        UpdateAlertSettingsRequest: {
            /** @description A key that sends more requests within a minute raises an alert. */
            rateLimitPerMinute?: (number | null) | undefined;
            /**
             * Format: int64
             * @description A key that sends more bytes within a minute raises an alert.
             */
            payloadBytesPerMinute?: (number | null) | undefined;
        };
        UpdateApiKeyRequest: {
            name?: string | undefined;
            rateLimit?: (components["schemas"]["UpdateKeyRateLimit"] | null) | undefined;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute?: (number | null) | undefined;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt?: (string | null) | undefined;
            /** @description Whether the key can read player data. */
            allowDataApi?: (boolean | null) | undefined;
            /**
             * Format: uuid
             * @description The workspace that is billed for the reads of the key. Null: the workspace of the tenant. The caller must be an owner or admin of the workspace that is billed. Limit: 200 requests of an account with a workspace in 24 hours.
             */
            subscriberWorkspaceId?: (string | null) | undefined;
        };
        UpdateDeviceRequest: {
            /** @description Null removes the name. */
            deviceName?: (string | null) | undefined;
            isTrusted?: (boolean | null) | undefined;
            /** @description Logins from a blocked device are refused. */
            isBlocked?: (boolean | null) | undefined;
            proof?: components["schemas"]["IdentityProof"] | undefined;
        };
        UpdateEventDefinitionRequest: {
            /** @description The kind of events that may use the definition. */
            eventScope?: (components["schemas"]["DefinitionScope"] | null) | undefined;
            /** @description Empty counts as null. */
            eventCategory?: (string | null) | undefined;
            /** @description Empty counts as null. */
            eventDescription?: (string | null) | undefined;
            isActive?: (boolean | null) | undefined;
        };
        UpdateGameKeyRequest: {
            name?: string | undefined;
            rateLimit?: (components["schemas"]["UpdateKeyRateLimit"] | null) | undefined;
            /** @description Alert threshold: requests per minute. Null: the threshold of the tenant applies. */
            rateLimitPerMinute?: (number | null) | undefined;
            /**
             * Format: int64
             * @description Alert threshold: received bytes per minute. Null: the threshold of the tenant applies.
             */
            payloadBytesPerMinute?: (number | null) | undefined;
            /**
             * Format: date-time
             * @description The time when the key expires. In a request it must be in the future.
             */
            expiresAt?: (string | null) | undefined;
            /** @description Whether a request that acts for a player also needs the access token of that player: requests about matches, and logout. Set it for keys in game clients, because every player can read those. Keep it off for keys of game servers. */
            requirePlayerToken?: (boolean | null) | undefined;
        };
        UpdateKeyRateLimit: {
            /** @description Requests per minute, at most the limit of the plan. Null: the limit of the plan applies. */
            perMinute?: (number | null) | undefined;
            /** @description Requests per hour, at most the limit of the plan. Null: the limit of the plan applies. */
            perHour?: (number | null) | undefined;
        };
        UpdateMemberRequest: {
            role: components["schemas"]["WorkspaceRole"];
        };
        UpdatePlanRateLimit: {
            /** @description Requests per minute. */
            perMinute?: (number | null) | undefined;
            /** @description Requests per hour. */
            perHour?: (number | null) | undefined;
        };
        UpdatePlanRequest: {
            name?: string | undefined;
            /**
             * Format: int64
             * @description Units per billing period. Null: unlimited.
             */
            monthlyUnits?: (number | null) | undefined;
            /** @description Whether requests are refused after the last unit is used. */
            hardStop?: (boolean | null) | undefined;
            /** @description Match events per request. */
            maxMatchEventRecordsPerRequest?: (number | null) | undefined;
            /** @description Player events per request. */
            maxPlayerEventRecordsPerRequest?: (number | null) | undefined;
            rateLimit?: components["schemas"]["UpdatePlanRateLimit"] | undefined;
        };
        UpdateProfileRequest: {
            /** @description At least one visible character, without control characters and line breaks. Null clears it. */
            displayName?: (string | null) | undefined;
            /** @description An https URL, or the URL of an uploaded avatar. Null clears it. */
            avatarUrl?: (string | null) | undefined;
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
        };
        UpdateProviderRequest: {
            enabled: boolean;
            settings?: components["schemas"]["UpdateProviderSettings"] | undefined;
        };
        /** @description StoreA needs `appId` and `webApiKey`, StoreB `clientId`, and WalletJwt `issuer` and `audience`. A provider ignores the settings of others. Omit `settings` to keep the stored ones. */
        UpdateProviderSettings: {
            /** @description StoreA: the application id at the store. */
            appId?: string | undefined;
            /** @description StoreA: the identity that the game passes when it requests a ticket. */
            identity?: string | undefined;
            /** @description StoreB: the OAuth client id that tokens are issued to. */
            clientId?: string | undefined;
            /** @description WalletJwt: the issuer of the tokens, an https URL. The signing keys are found by OpenID discovery. */
            issuer?: string | undefined;
            /** @description WalletJwt: the expected audience of the tokens, or an array of 1 to 10 audiences. A token needs one of them. */
            audience?: (string[] | string) | undefined;
            /** @description WalletJwt: the claim that contains the wallet address. Default: `wallet_address`. If a token has no such claim, `sub` is used. */
            addressClaim?: string | undefined;
            /** @description EvmWallet: the accepted chains. Without it, all chains are accepted. */
            chainIds?: number[] | undefined;
            /** @description StoreA: the web API key of the publisher. Write-only. */
            webApiKey?: string | undefined;
        };
        UpdateTenantPlayerRequest: {
            /** @description Any text. The game defines its meaning. */
            tenantRole?: string | undefined;
            hiddenFromDiscovery?: (boolean | null) | undefined;
        };
        UpdateTenantRequest: {
            /** @description At least one visible character, without control characters and line breaks. */
            name?: string | undefined;
            /** @description Lower-case ASCII words joined by hyphens. If a new workspace or tenant has none, it is generated from the name. */
            slug?: string | undefined;
            /** @description Whether the tenant is hidden when a third party reads the profile of a player. */
            hiddenFromDiscovery?: (boolean | null) | undefined;
            settings?: components["schemas"]["UpdateTenantSettings"] | undefined;
            /** @description False disables the tenant, as DELETE does. True enables it again. */
            isActive?: (boolean | null) | undefined;
        };
        UpdateTenantSettings: {
            /** @description Whether an event with an unknown event key creates its event definition. */
            autoCreateDefinitions?: (boolean | null) | undefined;
        };
        UpdateWebhookRequest: {
            /** @description The URL that receives events: http or https, a public address, without credentials. */
            url?: string | undefined;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes?: (components["schemas"]["WebhookEventType"][] | null) | undefined;
            description?: (string | null) | undefined;
            enabled?: (boolean | null) | undefined;
        };
        UpdateWorkspaceRequest: {
            /** @description At least one visible character, without control characters and line breaks. */
            name?: string | undefined;
            /** @description Lower-case ASCII words joined by hyphens. If a new workspace or tenant has none, it is generated from the name. */
            slug?: string | undefined;
        };
        /** @enum {string} */
        UsageGrouping: "day" | "tenant" | "key";
        UsageItem: {
            /** Format: date */
            day?: string | undefined;
            /** Format: uuid */
            tenantId?: string | undefined;
            /** @description Null if the tenant belongs to another workspace. */
            tenantName?: (string | null) | undefined;
            /** Format: uuid */
            keyId?: string | undefined;
            /** @description Null if the key belongs to another workspace. */
            keyName?: (string | null) | undefined;
            keyKind?: components["schemas"]["KeyKind"] | undefined;
            /** Format: int64 */
            units: number;
            /**
             * Format: int64
             * @description Bytes of the bodies of requests with a key, accepted or refused.
             */
            bytesIn: number;
            /**
             * Format: int64
             * @description Bytes of the bodies of the responses.
             */
            bytesOut: number;
        };
        UsageReport: {
            /**
             * Format: date
             * @description The first day.
             */
            from: string;
            /**
             * Format: date
             * @description The first day after the range.
             */
            to: string;
            groupBy: components["schemas"]["UsageGrouping"];
            /** @description By tenant or key: at most 1,000 items, most units first. */
            items: components["schemas"]["UsageItem"][];
        };
        UsageWarning: {
            /** Format: uuid */
            workspaceId: string;
            /** @description The used share of the limit: 75, 90 or 100 %. */
            percent: number;
            /**
             * Format: int64
             * @description The units that the workspace has used.
             */
            used: number;
            /**
             * Format: int64
             * @description The units of the plan in a month.
             */
            limit: number;
            /** Format: date-time */
            periodStart: string;
            /**
             * Format: date-time
             * @description The start of the next month.
             */
            periodEnd: string;
        };
        UsageWarningEvent: {
            /** @enum {string} */
            type: "usage.warning";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["UsageWarning"];
        };
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            displayName: string | null;
            /** @description Whether the account is a platform administrator. */
            isPlatformAdmin: boolean;
            /** @description Whether the email address is verified. */
            emailVerified: boolean;
            /** @description Whether a login asks for a second factor. */
            totpEnabled: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        ValidateAssertionRequest: {
            /** @description The audience that the assertion must have. */
            audience?: string | undefined;
        };
        ValidatedAssertion: {
            /** @enum {boolean} */
            active: true;
            /** Format: uuid */
            playerId: string;
            /** Format: uuid */
            tenantId: string;
            /** Format: uuid */
            sessionId: string;
            audience: string;
            displayName?: string | undefined;
            email?: string | undefined;
            /** Format: date-time */
            issuedAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        VerificationRequested: {
            /**
             * @description The email will be sent.
             * @enum {string}
             */
            status: "accepted";
        };
        VerifiedAccountEmail: {
            /** @description The address of the account. It is verified now. */
            email: string;
        };
        VerifiedEmail: {
            /** @description The verified address. */
            email: string;
        };
        VerifiedPlayer: {
            /** Format: uuid */
            playerId: string;
            /** Format: uuid */
            sessionId: string;
            displayName: string | null;
            /** @description The player’s role in the game. The default is `player`. */
            tenantRole: string;
            /**
             * Format: date-time
             * @description When the access token expires.
             */
            expiresAt: string;
        };
        VerifyAccountEmailRequest: {
            /** @description The token from the email. */
            token: string;
        };
        VerifyPlayerEmailRequest: {
            /** @description The token from the email. */
            token: string;
        };
        WalletChain: {
            items: components["schemas"]["WalletChainLink"][];
            head: components["schemas"]["WalletChainHead"];
        };
        /** @description The last entry of the chain. */
        WalletChainHead: {
            /** Format: int64 */
            index: number;
            /** @description 0x and 64 hexadecimal digits. */
            hash: string;
        };
        WalletChainLink: {
            /** Format: int64 */
            index: number;
            /** @description 0x and 64 hexadecimal digits. */
            contentHash: string;
            /** @description 0x and 64 hexadecimal digits. */
            hash: string;
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
        };
        /** @enum {string} */
        WalletChainState: "pending" | "mined" | "confirmed" | "abandoned";
        WalletChainStatus: {
            state: components["schemas"]["WalletChainState"];
            /** Format: int64 */
            blockNumber: number | null;
            /** @description The number of blocks from the transaction’s own block to the newest one. */
            confirmations: number;
        };
        WalletChallenge: {
            /** Format: uuid */
            challengeId: string;
            /** @description The exact text that the wallet must sign (EIP-4361). */
            message: string;
            nonce: string;
            /** Format: date-time */
            expiresAt: string;
        };
        WalletChallengeRequest: {
            /** @description An EVM address in lower case, in upper case, or with the checksum of EIP-55. */
            address: string;
            /**
             * Format: int64
             * @description Default: the first of the tenant’s `chainIds`. If the tenant has none: 1 (Ethereum).
             */
            chainId?: (number | null) | undefined;
        };
        /** @enum {string} */
        WalletEntryKind: "player.added" | "player.verified" | "player.scored" | "session.started" | "session.ended" | "match.started" | "record.added" | "match.player_ended" | "match.ended";
        /** @enum {string} */
        WalletEntryOrder: "newest" | "oldest";
        WalletEntryPage: {
            items: components["schemas"]["ListedWalletEntry"][];
            head: components["schemas"]["WalletChainHead"];
            hasMore: boolean;
            /**
             * Format: int64
             * @description The index that the next page begins after.
             */
            nextCursor?: number | undefined;
        };
        WalletJwtLoginRequest: {
            /** @description The JWT from the wallet’s issuer. */
            jwt: string;
        };
        WalletLedgerEntry: {
            /**
             * Format: int64
             * @description The position in the tenant’s chain, from 1.
             */
            index: number;
            /** Format: date-time */
            recordedAt: string;
            kind: components["schemas"]["WalletEntryKind"];
            /**
             * Format: int64
             * @description The player that the entry is about.
             */
            playerIndex: number;
            /** @description What the entry records. The members depend on `kind`. */
            body: {
                [key: string]: unknown;
            };
            salt: string;
            /** @description The canonical text of the entry. contentHash is its keccak-256. */
            canonical: string;
            /** @description 0x and 64 hexadecimal digits. */
            contentHash: string;
            /** @description 0x and 64 hexadecimal digits. */
            previousHash: string;
            /** @description The keccak-256 of the 64 bytes of previousHash and contentHash. */
            hash: string;
        };
        WalletLoginChallengeRequest: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            provider: "EvmWallet";
            /** @description An EVM address in lower case, in upper case, or with the checksum of EIP-55. */
            subject: string;
        };
        WalletLoginRequest: {
            /** @description The unchanged message of the challenge. */
            message: string;
            /** @description The wallet’s signature of the message (`personal_sign`), in hexadecimal. */
            signature: string;
            /** @description How much of the profile others can see. Applied only if the request creates the player. */
            profileVisibility?: (components["schemas"]["ProfileVisibility"] | null) | undefined;
            deviceInfo?: components["schemas"]["DeviceInfo"] | undefined;
            clientInfo?: components["schemas"]["ClientInfo"] | undefined;
            /**
             * @description Whether to create a player who does not exist. If false, the response is 404.
             * @default true
             */
            createAccountIfMissing?: (boolean | null) | undefined;
        };
        WalletLoginResult: {
            /** @description The platform JWT. Send it as the bearer token of the recording calls. */
            accessToken: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** @description The lifetime of the token in seconds. */
            expiresIn: number;
            /** Format: int64 */
            playerIndex: number;
            playerId: string;
            address: string;
        };
        WalletPasswordLoginRequest: {
            playerId: string;
            signInPassword: string;
        };
        WalletPlayer: {
            playerId: string;
            /** @description With its EIP-55 checksum. */
            address: string;
            /** @description 0: added by add/anon. 1: added by a wallet login. */
            playerType: number;
            /** Format: int64 */
            score: number | bigint;
            /** @description By provider. `EvmWallet` contains the address after a wallet login has proved it. */
            identifiers: {
                [key: string]: string;
            };
            /** @description The addresses that a wallet login has proved. */
            verifiedAddresses: string[];
        };
        WalletPlayerIndex: {
            /** Format: int64 */
            playerIndex: number;
        };
        /** @enum {string} */
        WalletRecorder: "hash-chain" | "evm";
        WalletScore: {
            /** @description 0x and 64 hexadecimal digits. GET …/transactions/{transactionHash} returns the recorded entries. */
            transactionHash: string;
            /** Format: int64 */
            playerIndex: number;
            /** Format: int64 */
            newScore: number | bigint;
        };
        WalletTransaction: {
            /** @description 0x and 64 hexadecimal digits. If the transaction was signed again, the hash that the chain has accepted. */
            transactionHash: string;
            recorder: components["schemas"]["WalletRecorder"];
            entries: components["schemas"]["WalletLedgerEntry"][];
            chain?: components["schemas"]["WalletChainStatus"] | undefined;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null for a webhook of the deployment.
             */
            workspaceId: string | null;
            /**
             * Format: uuid
             * @description Only events of this tenant. Null: all tenants.
             */
            tenantId: string | null;
            /** @description The URL that receives events. A viewer gets only its origin, because path and query may contain a token. */
            url: string;
            description: string | null;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes: components["schemas"]["WebhookEventType"][] | null;
            /** @description Whether the webhook receives deliveries. */
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /** @description `by_hand`: a user disabled it. `gone`: the endpoint returned 410. `failing`: all deliveries failed for five days. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description The first failure after the last success, or after two days without a failure.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When the last earlier secret stops signing. Until then, deliveries have several signatures.
             */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        WebhookAttempt: {
            number: number;
            /** Format: date-time */
            startedAt: string;
            /** @description Null if the attempt is running or its worker crashed. */
            durationMs: number | null;
            /** @description Null if there was no complete response. */
            statusCode: number | null;
            /** @description Null if the attempt succeeded. */
            error: string | null;
            /** @description The first 1,024 bytes of the response body. Null for viewers, because it may repeat the path of the URL. */
            answer: string | null;
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The `webhook-id` header of the delivery.
             */
            id: string;
            eventType: components["schemas"]["WebhookDeliveryType"];
            /** @description `pending`: an attempt is running or scheduled. `failed`: all attempts failed. */
            status: components["schemas"]["WebhookDeliveryStatus"];
            /** @description The number of started attempts. */
            attempts: number;
            /** @description The status of the last response. Null if there was none. */
            lastStatusCode: number | null;
            /** @description Why the last attempt failed, in words. Null after a success. */
            lastError: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description The delivery waits longer while the webhook is disabled.
             */
            nextAttemptAt: string | null;
        };
        WebhookDeliveryDetail: {
            /**
             * Format: uuid
             * @description The `webhook-id` header of the delivery.
             */
            id: string;
            eventType: components["schemas"]["WebhookDeliveryType"];
            /** @description `pending`: an attempt is running or scheduled. `failed`: all attempts failed. */
            status: components["schemas"]["WebhookDeliveryStatus"];
            /** @description The number of started attempts. */
            attempts: number;
            /** @description The status of the last response. Null if there was none. */
            lastStatusCode: number | null;
            /** @description Why the last attempt failed, in words. Null after a success. */
            lastError: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description The delivery waits longer while the webhook is disabled.
             */
            nextAttemptAt: string | null;
            /** @description The exact request body of each attempt. */
            body: string;
            /** @description The last 100 attempts, oldest first. */
            history: components["schemas"]["WebhookAttempt"][];
        };
        WebhookDeliveryPage: {
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        /** @enum {string} */
        WebhookDeliveryStatus: "pending" | "delivered" | "failed";
        /** @enum {string} */
        WebhookDeliveryType: "alert.rate_spike" | "alert.payload_spike" | "usage.warning" | "player.deleted" | "player.merged" | "webhook.test";
        /** @enum {string} */
        WebhookDisabledReason: "by_hand" | "gone" | "failing";
        /** @enum {string} */
        WebhookEventType: "alert.rate_spike" | "alert.payload_spike" | "usage.warning" | "player.deleted" | "player.merged";
        WebhookPage: {
            items: components["schemas"]["Webhook"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        WebhookRedelivery: {
            /** Format: uuid */
            id: string;
            /** @description `completed`: each delivery was attempted. `cancelled`: a user cancelled it. `stopped`: the webhook was disabled. */
            status: components["schemas"]["WebhookRedeliveryStatus"];
            /** @description The number of deliveries that matched at the start. */
            total: number;
            /** @description The number of deliveries that succeeded. */
            delivered: number;
            /** @description The number of deliveries whose first attempt failed. They are retried on the usual schedule. */
            failed: number;
            /** @description The number of deliveries that were deleted before their attempt, because they were 30 days old. */
            skipped: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
        };
        WebhookRedeliveryPage: {
            items: components["schemas"]["WebhookRedelivery"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        /** @enum {string} */
        WebhookRedeliveryStatus: "running" | "completed" | "cancelled" | "stopped";
        WebhookTest: {
            /**
             * Format: uuid
             * @description Absent in a test of a webhook of the deployment.
             */
            workspaceId?: string | undefined;
            /**
             * Format: uuid
             * @description Absent if the webhook has no tenant.
             */
            tenantId?: string | undefined;
        };
        WebhookTestEvent: {
            /** @enum {string} */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description When the event happened.
             */
            timestamp: string;
            data: components["schemas"]["WebhookTest"];
        };
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null for a webhook of the deployment.
             */
            workspaceId: string | null;
            /**
             * Format: uuid
             * @description Only events of this tenant. Null: all tenants.
             */
            tenantId: string | null;
            /** @description The URL that receives events. A viewer gets only its origin, because path and query may contain a token. */
            url: string;
            description: string | null;
            /** @description The event types to send. Null: all types, including types of later versions. */
            eventTypes: components["schemas"]["WebhookEventType"][] | null;
            /** @description Whether the webhook receives deliveries. */
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /** @description `by_hand`: a user disabled it. `gone`: the endpoint returned 410. `failing`: all deliveries failed for five days. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: date-time
             * @description The first failure after the last success, or after two days without a failure.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When the last earlier secret stops signing. Until then, deliveries have several signatures.
             */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The secret that signs deliveries. It is not shown again. */
            secret: string;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            /** @description The role of the caller. */
            role: components["schemas"]["WorkspaceRole"];
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            createdAt: string;
        };
        WorkspacePage: {
            items: components["schemas"]["Workspace"][];
            /** @description The limit of this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /** @description Total number of items across all pages. */
            totalCount: number;
        };
        WorkspaceQuota: {
            plan: string;
            /** Format: date-time */
            periodStart: string;
            /**
             * Format: date-time
             * @description The start of the next period.
             */
            periodEnd: string;
            /**
             * Format: int64
             * @description Units per period. Null if unlimited.
             */
            limit: number | null;
            /**
             * Format: int64
             * @description Used units.
             */
            used: number;
            /**
             * Format: int64
             * @description Bytes of the bodies of requests with a key, accepted or refused.
             */
            bytesIn: number;
            /**
             * Format: int64
             * @description Bytes of the bodies of the responses.
             */
            bytesOut: number;
            /** @description Whether requests are refused after the last unit is used. */
            hardStop: boolean;
        };
        /** @enum {string} */
        WorkspaceRole: "viewer" | "admin" | "owner";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
        };
    };
    getPublicKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
        };
    };
    listTenantAuditRecords: {
        parameters: {
            query?: {
                /** @description Returns only records with this action. */
                action?: string;
                /** @description Returns only records of this account, player or key. */
                actorId?: string;
                /** @description Returns only records with this target: an id or the name of a provider. The records of a tenant about a player include those about merged profiles. */
                targetId?: string;
                /** @description Only records at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only records before this time. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    listWorkspaceAuditRecords: {
        parameters: {
            query?: {
                /** @description Returns only records with this action. */
                action?: string;
                /** @description Returns only records of this account, player or key. */
                actorId?: string;
                /** @description Returns only records with this target: an id or the name of a provider. The records of a tenant about a player include those about merged profiles. */
                targetId?: string;
                /** @description Only records at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only records before this time. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    listPlatformAuditRecords: {
        parameters: {
            query?: {
                /** @description Returns only records with this action. */
                action?: string;
                /** @description Returns only records of this account, player or key. */
                actorId?: string;
                /** @description Returns only records with this target: an id or the name of a provider. The records of a tenant about a player include those about merged profiles. */
                targetId?: string;
                /** @description Only records at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only records before this time. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
        };
    };
    rotateSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSigningKeysRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyRotation"];
                };
            };
        };
    };
    listJobQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobQueueList"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentHealth"];
                };
            };
        };
    };
    logInPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    createPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePlayerRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    getPlayerByProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerExistsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerExistsResult"];
                };
            };
        };
    };
    createWalletChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletChallengeRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletChallenge"];
                };
            };
        };
    };
    logInPlayerByWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    sendOneTimeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAddressRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentCode"];
                };
            };
        };
    };
    logInPlayerByCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    signUpPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerSignUpRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    logInPlayerByPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerPasswordLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    verifyPlayerEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyPlayerEmailRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedEmail"];
                };
            };
        };
    };
    requestPlayerPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAddressRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetRequested"];
                };
            };
        };
    };
    resetPlayerPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPlayerPasswordRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedEmail"];
                };
            };
        };
    };
    createLoginChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginChallengeRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginChallenge"];
                };
            };
        };
    };
    logInPlayerByChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChallengeLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    refreshPlayerSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResult"];
                };
            };
        };
    };
    logOutPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogoutRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogoutResult"];
                };
            };
        };
    };
    verifyPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedPlayer"];
                };
            };
        };
    };
    resendPlayerVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationRequested"];
                };
            };
        };
    };
    createAssertion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAssertionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssertionResult"];
                };
            };
        };
    };
    validateAssertion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateAssertionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedAssertion"];
                };
            };
        };
    };
    startStoreAPortalLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedPortalLogin"];
                };
            };
        };
    };
    finishStoreAPortalLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinishPortalLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalTokens"];
                };
            };
        };
    };
    sendPortalCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAddressRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentCode"];
                };
            };
        };
    };
    logInToPortalByCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PortalCodeLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalTokens"];
                };
            };
        };
    };
    createWalletProofChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletChallengeRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletChallenge"];
                };
            };
        };
    };
    refreshPortalSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PortalSessionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalTokens"];
                };
            };
        };
    };
    logOutOfPortal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PortalSessionRequest"];
            };
        };
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listDevices: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceList"];
                };
            };
        };
    };
    updateDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path: {
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDeviceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    listPlayerSessions: {
        parameters: {
            query?: {
                /** @description Only logins in this tenant. The default is all tenants. */
                tenantId?: string;
                /** @description The `nextCursorTimestamp` of the previous page, unchanged. */
                cursorTimestamp?: string;
                /** @description The `nextCursorId` of the previous page. */
                cursorId?: string;
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionHistory"];
                };
            };
        };
    };
    getPlayerSessionSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionSummary"];
                };
            };
        };
    };
    getOwnProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullPlayerProfile"];
                };
            };
        };
    };
    deleteOwnProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IdentityProofRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateOwnProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProfileRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullPlayerProfile"];
                };
            };
        };
    };
    listOwnTenants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantAccessList"];
                };
            };
        };
    };
    exportOwnData: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerDataExport"];
                };
            };
        };
    };
    uploadAvatar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description A PNG or JPG of at most 2 MiB.
                     */
                    avatarFile: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AvatarResult"];
                };
            };
        };
    };
    listAuthMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMethodList"];
                };
            };
        };
    };
    linkAuthMethod: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkAuthMethodRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMethod"];
                };
            };
        };
    };
    unlinkAuthMethod: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path: {
                authMethodId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IdentityProofRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    setPrimaryAuthMethod: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path: {
                authMethodId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SetPrimaryAuthMethodRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMethod"];
                };
            };
        };
    };
    mergeProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description A proof of identity, as an alternative to the field `proof` of a body: the same object, as JSON in base64url. Required when games of several workspaces know the profile, except with a portal token. */
                "x-identity-proof"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeProfileRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullPlayerProfile"];
                };
            };
        };
    };
    getPlayerProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A private profile has only the members `id` and `profileVisibility`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerProfile"];
                };
            };
        };
    };
    getPlayerProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileLookupRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileLookupResult"];
                };
            };
        };
    };
    listTenantPlayers: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description A player’s id, or the beginning of their name, provider user id or email address. Only sign-in methods that were used in this tenant are searched. Case is ignored. There are no wildcards. */
                search?: string;
                /** @description A minus means descending. Names sort by the code points of their lower case. Players without a name sort before all others. */
                sort?: components["schemas"]["PlayerSort"];
                /** @description True: only players with an active ban. False: only players without one. */
                banned?: boolean;
                /** @description True: only players hidden from discovery. False: only players who are not. */
                hidden?: boolean;
                /** @description Only players who have signed in to this tenant with this provider. */
                authProvider?: components["schemas"]["AuthProvider"];
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerPage"];
                };
            };
        };
    };
    getTenantPlayers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantPlayersRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayersResult"];
                };
            };
        };
    };
    getTenantPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerDetail"];
                };
            };
        };
    };
    updateTenantPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTenantPlayerRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerDetail"];
                };
            };
        };
    };
    listTenantPlayerSessions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerSessionPage"];
                };
            };
        };
    };
    listTenantPlayerDevices: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerDevicePage"];
                };
            };
        };
    };
    banPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BanPlayerRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerBan"];
                };
            };
        };
    };
    liftPlayerBan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    forcePlayerLogout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForceLogoutRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForceLogoutResult"];
                };
            };
        };
    };
    listPlayerBans: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerBanPage"];
                };
            };
        };
    };
    listPlayerNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerNoteList"];
                };
            };
        };
    };
    createPlayerNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePlayerNoteRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerNote"];
                };
            };
        };
    };
    deletePlayerNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    exportTenantPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPlayerDataExport"];
                };
            };
        };
    };
    deletePlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. The response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getDeletionReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReceipt"];
                };
            };
        };
    };
    listDeletionReceipts: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReceiptPage"];
                };
            };
        };
    };
    listMatchingPlayers: {
        parameters: {
            query: {
                /** @description A whole player id, email address or id at a provider. */
                search: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPlayers"];
                };
            };
        };
    };
    getPublicPlayerProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicPlayerProfile"];
                };
            };
        };
    };
    getAvatar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                };
            };
        };
    };
    createMatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMatchRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedMatch"];
                };
            };
        };
    };
    joinMatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path: {
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JoinMatchRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JoinedMatch"];
                };
            };
        };
    };
    leaveMatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeaveMatchRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchPlayer"];
                };
            };
        };
    };
    endMatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchSession"];
                };
            };
        };
    };
    recordMatchResults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MatchResultsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchResults"];
                };
            };
        };
    };
    getMatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Match"];
                };
            };
        };
    };
    ingestMatchEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The events, or an object with the member `events`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MatchEventBatchRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventBatchResult"];
                };
            };
        };
    };
    ingestPlayerEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The events, or an object with the member `events`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerEventBatchRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventBatchResult"];
                };
            };
        };
    };
    listEventDefinitions: {
        parameters: {
            query?: {
                includeInactive?: boolean;
                /** @description Only active or only inactive definitions. Overrules `includeInactive`. */
                isActive?: boolean;
                /** @description Only definitions with exactly this scope. */
                eventScope?: components["schemas"]["DefinitionScope"];
                /** @description A part of the key, value, category or description. Case is ignored. There are no wildcards. */
                search?: string;
                /** @description Return one page instead of the whole list. */
                paged?: boolean;
                /** @description Only with `paged`. */
                limit?: number;
                /** @description Only with `paged`. */
                offset?: number;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinitionsResult"];
                };
            };
        };
    };
    createEventDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEventDefinitionRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinition"];
                };
            };
        };
    };
    updateEventDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                definitionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateEventDefinitionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinition"];
                };
            };
        };
    };
    getEventDefinitionSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinitionSettings"];
                };
            };
        };
    };
    updateEventDefinitionSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventDefinitionSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinitionSettings"];
                };
            };
        };
    };
    exportEventDefinitions: {
        parameters: {
            query?: {
                includeInactive?: boolean;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions, one per row. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    importEventDefinitions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The CSV file, at most 2 MiB. The field may have any name.
                     */
                    file: string;
                    /**
                     * @description If false, rows create definitions. If true, rows change the definitions with their IDs.
                     * @default false
                     * @enum {string}
                     */
                    overwriteExisting?: ("true" | "false") | undefined;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
        };
    };
    listTenantMatches: {
        parameters: {
            query?: {
                /** @description Whether the match has ended. */
                state?: components["schemas"]["MatchState"];
                /** @description Only matches that this player, or a profile merged into this player, was in. Players who left are included. */
                playerId?: string;
                /** @description Only matches created at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only matches created before this time. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedMatchPage"];
                };
            };
        };
    };
    getTenantMatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                matchSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantMatch"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query: {
                /** @description Match events or player events. */
                scope: components["schemas"]["EventScope"];
                /** @description Only events that occurred at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only events that occurred before this time. */
                to?: string;
                /** @description Only events with this key. */
                eventKey?: string;
                /** @description Only events with this value of their definition. */
                eventValue?: string;
                /** @description Only events of this player, with those of merged profiles. Each event keeps the `playerId` of its profile. */
                playerId?: string;
                /** @description Only events of this match. Needs `scope=match`. */
                matchSessionId?: string;
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEventPage"];
                };
            };
        };
    };
    exportEvents: {
        parameters: {
            query: {
                /** @description Match events or player events. */
                scope: components["schemas"]["EventScope"];
                /** @description Only events that occurred at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only events that occurred before this time. */
                to?: string;
                /** @description Only events with this key. */
                eventKey?: string;
                /** @description Only events with this value of their definition. */
                eventValue?: string;
                /** @description Only events of this player, with those of merged profiles. Each event keeps the `playerId` of its profile. */
                playerId?: string;
                /** @description Only events of this match. Needs `scope=match`. */
                matchSessionId?: string;
                format?: components["schemas"]["EventExportFormat"];
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, one per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    getEventSummary: {
        parameters: {
            query: {
                /** @description Match events or player events. */
                scope: components["schemas"]["EventScope"];
                /** @description Only events that occurred at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only events that occurred before this time. */
                to?: string;
                /** @description Only events with this key. */
                eventKey?: string;
                /** @description Only events with this value of their definition. */
                eventValue?: string;
                /** @description Only events of this player, with those of merged profiles. Each event keeps the `playerId` of its profile. */
                playerId?: string;
                /** @description Only events of this match. Needs `scope=match`. */
                matchSessionId?: string;
                /** @description The width of a time bucket, in UTC. */
                bucket?: components["schemas"]["EventBucket"];
                /** @description What a row of a time bucket counts: the events of a definition, those of all definitions with an `eventKey`, or all events (`time`). */
                groupBy?: components["schemas"]["EventSummaryGroup"];
                /** @description The number of definitions or keys to return: those with the most events in the range. */
                top?: number;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventSummary"];
                };
            };
        };
    };
    queryEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        /** @description A query of the stored events of a tenant. It may take 15 seconds. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventQuery"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventQueryAnswer"];
                };
            };
        };
    };
    listRejectedEvents: {
        parameters: {
            query?: {
                /** @description Only groups with events at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only groups with events before this time. */
                to?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedEventList"];
                };
            };
        };
    };
    getSessionAnalytics: {
        parameters: {
            query?: {
                /** @description Start of the range, inclusive. Default: 30 days before `to`. Must be earlier than `to`. */
                from?: string;
                /** @description End of the range, exclusive. Default: now. */
                to?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnalytics"];
                };
            };
        };
    };
    getSessionTimeline: {
        parameters: {
            query?: {
                /** @description A time in the first bucket. Default: 24 buckets, including the last one. Must be earlier than `to`. */
                from?: string;
                /** @description End of the range, exclusive. Default: now. */
                to?: string;
                /** @description The width of a bucket, in UTC. */
                bucket?: components["schemas"]["TimelineBucket"];
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTimeline"];
                };
            };
        };
    };
    getWalletPlayerIndexByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletPlayerIndex"];
                };
            };
        };
    };
    getWalletPlayerIndexByPlayerId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletPlayerIndex"];
                };
            };
        };
    };
    createAnonymousWalletPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWalletPlayerRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWalletPlayer"];
                };
            };
        };
    };
    logInWalletPlayerByJwt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletJwtLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletLoginResult"];
                };
            };
        };
    };
    logInWalletPlayerByPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletPasswordLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletLoginResult"];
                };
            };
        };
    };
    getWalletPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                playerIndex: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletPlayer"];
                };
            };
        };
    };
    setWalletScore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetWalletScoreRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletScore"];
                };
            };
        };
    };
    startWalletSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartWalletSessionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedWalletSession"];
                };
            };
        };
    };
    endWalletSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndWalletSessionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedWalletSession"];
                };
            };
        };
    };
    startWalletMatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartWalletMatchRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedWalletMatch"];
                };
            };
        };
    };
    createWalletRecord: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWalletRecordRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWalletRecord"];
                };
            };
        };
    };
    endWalletPart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndWalletPartRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedWalletPart"];
                };
            };
        };
    };
    endWalletMatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndWalletMatchRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedWalletMatch"];
                };
            };
        };
    };
    getWalletTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                transactionHash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTransaction"];
                };
            };
        };
    };
    listWalletTransactions: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletChain"];
                };
            };
        };
    };
    listWalletEntries: {
        parameters: {
            query?: {
                order?: components["schemas"]["WalletEntryOrder"];
                /** @description Only entries of this kind. */
                kind?: components["schemas"]["WalletEntryKind"];
                /** @description Only entries about the player with this index. */
                playerIndex?: number;
                /** @description `nextCursor` of the previous page, or any index: the page begins after it. */
                cursor?: number;
                limit?: number;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletEntryPage"];
                };
            };
        };
    };
    getTenantWalletTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                transactionHash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantWalletTransaction"];
                };
            };
        };
    };
    signUpAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountSignUpRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountTokens"];
                };
            };
        };
    };
    logInAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountLoginRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountLoginResult"];
                };
            };
        };
    };
    signInWithLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountLinkRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountTokens"];
                };
            };
        };
    };
    refreshAccountSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountSessionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountTokens"];
                };
            };
        };
    };
    logOutAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountSessionRequest"];
            };
        };
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    verifyAccountEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyAccountEmailRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedAccountEmail"];
                };
            };
        };
    };
    requestAccountPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountEmailRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailRequested"];
                };
            };
        };
    };
    resetAccountPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetAccountPasswordRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedAccountEmail"];
                };
            };
        };
    };
    verifyAccountTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Send either `code` or `recoveryCode`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountTokens"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationTokenRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
        };
    };
    getOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnAccount"];
                };
            };
        };
    };
    resendAccountVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailRequested"];
                };
            };
        };
    };
    updateAccountPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAccountPasswordRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordUpdated"];
                };
            };
        };
    };
    listAccountSessions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSessionPage"];
                };
            };
        };
    };
    endAccountSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    enrollAccountTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The current password or a code of the authenticator app. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReauthenticationRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrollment"];
                };
            };
        };
    };
    confirmAccountTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCodeRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    rotateRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The current password or a code of the authenticator app. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReauthenticationRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    disableAccountTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The current password or a code of the authenticator app. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReauthenticationRequest"];
            };
        };
        responses: {
            /** @description The account has no second factor. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    joinWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationTokenRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacePage"];
                };
            };
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteMemberRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is not a member. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is withdrawn. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTenants: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
        };
    };
    createTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTenantRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    disableTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant is disabled. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTenantRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                provider: components["schemas"]["AuthProvider"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    updateProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                provider: components["schemas"]["AuthProvider"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProviderRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    listGameKeys: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                includeRevoked?: boolean;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameKeyPage"];
                };
            };
        };
    };
    createGameKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateGameKeyRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateGameKeyResult"];
                };
            };
        };
    };
    revokeGameKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateGameKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateGameKeyRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameKey"];
                };
            };
        };
    };
    rotateGameKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedGameKey"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                includeRevoked?: boolean;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateApiKeyResult"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateApiKeyRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    listPaidKeys: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaidKeyPage"];
                };
            };
        };
    };
    endPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace no longer pays for the key. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePlanRequest"];
            };
        };
        responses: {
            /** @description The limits of the workspace. The rate limit applies to each key that has no rate limit of its own. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    listAllWorkspaces: {
        parameters: {
            query?: {
                /** @description The beginning of a name; or a whole id, slug, tenant id, or email address of a member. */
                search?: string;
                limit?: number;
                /** @description The `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyWorkspacePage"];
                };
            };
        };
    };
    getAnyWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyWorkspaceDetail"];
                };
            };
        };
    };
    getQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceQuota"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description A day (2026-11-01) or an instant. An instant includes its whole UTC day. The default is the first day of the month of the last day. */
                from?: string;
                /** @description A day (2026-11-01) or an instant. An instant includes its whole UTC day. A day is excluded from the range. The default is now. */
                to?: string;
                groupBy?: components["schemas"]["UsageGrouping"];
                /** @description Only usage of this tenant. It may be the tenant of a key that the workspace pays for. */
                tenantId?: string;
                /** @description Only usage of this key. It may be a key of another workspace that the workspace pays for. */
                keyId?: string;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                tenantId?: string;
                type?: components["schemas"]["AlertType"];
                keyId?: string;
                /** @description Only alerts raised at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only alerts raised before this time. */
                to?: string;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
        };
    };
    getAlertSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSettings"];
                };
            };
        };
    };
    updateAlertSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAlertSettingsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSettings"];
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                unreadOnly?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
        };
    };
    streamNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ID of the last notification that the client has received. The stream continues after it. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Server-sent events, for example
             *
             *     ```
             *     id: 0199e0c5-…
             *     event: notification
             *     data: {"id":"0199e0c5-…",…}
             *     ```
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    markNotificationRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                notificationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    markAllNotificationsRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkedNotifications"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretResult"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description Only deliveries with this status. */
                status?: components["schemas"]["WebhookDeliveryStatus"];
                /** @description Only deliveries of this type. */
                eventType?: components["schemas"]["WebhookDeliveryType"];
                /** @description Only deliveries created at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only deliveries created before this time. */
                to?: string;
            };
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    listWebhookRedeliveries: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedeliveryPage"];
                };
            };
        };
    };
    startWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        /** @description Selects the deliveries that match all members. At least one member is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartWebhookRedeliveryRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    getWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    cancelWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                webhookId: string;
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    listOutboxMails: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxMailPage"];
                };
            };
        };
    };
    listPlatformWebhooks: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    createPlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePlatformWebhookRequest"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getPlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deletePlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotatePlatformWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action. */
                "idempotency-key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretResult"];
                };
            };
        };
    };
    testPlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    listPlatformWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description Only deliveries with this status. */
                status?: components["schemas"]["WebhookDeliveryStatus"];
                /** @description Only deliveries of this type. */
                eventType?: components["schemas"]["WebhookDeliveryType"];
                /** @description Only deliveries created at or after this time. Must be earlier than `to`. */
                from?: string;
                /** @description Only deliveries created before this time. */
                to?: string;
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    getPlatformWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    redeliverPlatformWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    listPlatformWebhookRedeliveries: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedeliveryPage"];
                };
            };
        };
    };
    startPlatformWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        /** @description Selects the deliveries that match all members. At least one member is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartWebhookRedeliveryRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    getPlatformWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    cancelPlatformWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
        };
    };
    receiveRateSpikeAlert: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RateSpikeEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receivePayloadSpikeAlert: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayloadSpikeEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveUsageWarning: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageWarningEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receivePlayerDeletion: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerDeletedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receivePlayerMerge: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlayerMergedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the delivery. It is the same in each attempt, so use it to recognize a repetition. */
                "webhook-id": string;
                /** @description The time of the attempt in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
