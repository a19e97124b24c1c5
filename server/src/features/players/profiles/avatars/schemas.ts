import { Type } from 'typebox';

export const AvatarResult = Type.Object({ avatarUrl: Type.String() }, { title: 'AvatarResult' });

/** For the API reference only: the form parser validates the file. */
export const UploadAvatarRequest = Type.Object(
  {
    avatarFile: Type.String({ format: 'binary', description: 'A PNG or JPG of at most 2 MiB.' }),
  },
  { title: 'UploadAvatarRequest' },
);

export const AvatarPath = Type.Object({ name: Type.String() });
