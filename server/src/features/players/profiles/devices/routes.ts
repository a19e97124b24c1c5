import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { playerOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import { callerWithProof, ProofHeaders } from '../auth-methods/caller-of-routes.ts';
import type { ProofServices } from '../auth-methods/identity-proof.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { changeDevice, listOwnDevices } from './devices.ts';
import { UpdateDeviceRequest, Device, DeviceList, DevicePath, ListDevicesQuery } from './schemas.ts';

const tags = ['Player devices'];

/** The credential is a player's access token. */
export function deviceRoutes(
  services: ProofServices & MailServices & ChangeBudgets,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/player/devices',
      {
        schema: {
          operationId: 'listDevices',
          tags,
          summary: 'List your devices',
          description:
            'Lists the devices that the player has signed in from, in all tenants, the last used first. A player has at most 50 ' +
            'devices. A new device replaces the one that was unused for the longest time. Blocked devices are never replaced. ' +
            'Trusted devices are replaced only if there are no others.',
          querystring: ListDevicesQuery,
          response: { 200: DeviceList },
        },
      },
      async (request) => listOwnDevices(services.database, playerOf(request), request.query),
    );

    app.patch(
      '/api/player/devices/:deviceId',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'updateDevice',
          tags,
          summary: 'Name, trust or block a device',
          description:
            'Changes only the fields that are sent. Blocking a device ends its sessions and refresh tokens in all tenants (reason ' +
            '`device_blocked`) and refuses logins from it. The access tokens of these sessions can then neither read nor change ' +
            'devices. The token that blocks its own device still can. If games of several workspaces know the ' +
            'player, `isBlocked` needs a portal token or a proof of identity.',
          params: DevicePath,
          headers: ProofHeaders,
          body: UpdateDeviceRequest,
          response: { 200: Device, ...problems(502) },
        },
      },
      async (request) => {
        const { proof, ...changes } = request.body;
        return changeDevice(services, callerWithProof(request, proof), request.params.deviceId, changes);
      },
    );
  };
}
