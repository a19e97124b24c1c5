import { Type } from 'typebox';
import { Guid, Metadata, Name, Nullable, Timestamp } from '../../../../http/schemas.ts';
import { platformFields } from '../../../sign-in/login/index.ts';
import { IdentityProof } from '../auth-methods/schemas.ts';
import { MAX_DEVICES } from './devices.ts';

/** A device as its own player sees it. */
export const Device = Type.Object(
  {
    id: Guid,
    playerId: Guid,
    deviceFingerprint: Type.String(),
    ...platformFields,
    hardwareModel: Nullable(Type.String()),
    osVersion: Nullable(Type.String()),
    deviceName: Nullable(Type.String()),
    isTrusted: Type.Boolean(),
    isBlocked: Type.Boolean(),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    loginCount: Type.Integer(),
    metadata: Metadata,
    createdAtGl: Type.String({ ...Timestamp, description: 'When the server registered the device.' }),
    updatedAtGl: Type.String({ ...Timestamp, description: 'When the server last changed the record.' }),
    receivedAtDb: Type.String({ ...Timestamp, description: 'When the database stored the device.' }),
  },
  { title: 'Device' },
);

export const DeviceList = Type.Array(Device, { title: 'DeviceList', maxItems: MAX_DEVICES });

export const ListDevicesQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MAX_DEVICES, default: MAX_DEVICES }),
  offset: Type.Integer({ minimum: 0, maximum: MAX_DEVICES, default: 0 }),
});

export const UpdateDeviceRequest = Type.Object(
  {
    deviceName: Type.Optional(Nullable(Name(64, 'Null removes the name.'))),
    isTrusted: Type.Optional(Type.Boolean()),
    isBlocked: Type.Optional(Type.Boolean({ description: 'Logins from a blocked device are refused.' })),
    proof: Type.Optional(IdentityProof),
  },
  { title: 'UpdateDeviceRequest' },
);

export const DevicePath = Type.Object({ deviceId: Guid });
