export { addMasterKey, describeMasterKeys, removeOtherMasterKeys } from './replace-master-key.ts';
export { openRootKey } from './root-key.ts';
