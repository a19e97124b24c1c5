export {
  findProfilesOf,
  listMergedProfiles,
  listTenantsOfMerged,
  mergedProfilesOf,
  recordMerge,
} from './queries.ts';
